"""Practice tables over HTTP and sockets, unattended: opened, filled, played and left by people without screens."""

import asyncio
import re
import signal
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

from tests.road.client import Browser, Guest, Robot, Traveller, View, connections, until
from tests.road.people import Person
from tests.road.place import Place

TABLES, BOARDS = 5, 2


def check_hands(view: View) -> None:
    """Nobody is sent a hand that the seat may not see; no claim of these players is refused."""
    board, me = view["board"], view["me"]
    if board and board["phase"] != "over":
        shown = {seat for seat, hand in board["hands"].items() if hand["cards"] is not None}
        claimer = {board["claim"]["seat"]} if board["claim"] else set()
        assert shown <= {me, board["dummy"]} | claimer


async def sit_down(browsers: list[Browser]) -> None:
    """The first opens a table, the others find it in the lobby and take its free seats."""
    path = await browsers[0].press("/tables/open/")
    found = re.fullmatch(r"/tables/([0-9a-f-]{36})/", path)
    assert found
    table = found[1]
    for browser, seat in zip(browsers[1:], "WNE", strict=True):
        _, lobby = await browser.get("/tables/")
        assert table in lobby
        await browser.press(f"/tables/{table}/sit/", seat=seat)


async def play(
    place: Place, people: list[Person], *, disturb: Callable[[list[Traveller]], Awaitable[None]] | None = None
) -> list[Guest]:
    """All tables at once, each until its players have left."""
    async with connections() as http:
        browsers = [Browser(place.site, http, person.session) for person in people]
        for number in range(0, len(browsers), 4):
            await sit_down(browsers[number : number + 4])
        travellers = [
            Traveller(browser, partial(Robot, seed, BOARDS), think=0.02, seen=check_hands)
            for seed, browser in enumerate(browsers)
        ]
        playing = [each.travel(partial(_has_not_played, each)) for each in travellers]
        async with asyncio.timeout(300):
            await asyncio.gather(*playing, *([disturb(travellers)] if disturb else []))
        return [each.guests[0] for each in travellers]


def turned_away(travellers: list[Traveller]) -> int:
    """How often nobody was there to take an act."""
    guests = [guest for each in travellers for guest in each.guests]
    return sum(guest.travels.answers["0 ClientConnectorError"] for guest in guests)


def _has_not_played(traveller: Traveller) -> bool:
    return not traveller.guests


@dataclass(frozen=True)
class Log:
    """What the database says of a table."""

    sequences: list[int]
    commands: int
    boards: list[tuple[str, str]]
    state: str


def log_of(place: Place, table: str) -> Log:
    events = place.ask(
        "SELECT e.sequence, e.command, e.seat FROM tables_tableevent e JOIN tables_table t ON t.id = e.table_id"
        f" WHERE t.uuid = '{table}' ORDER BY e.sequence"
    )
    boards = place.ask(
        "SELECT b.state, b.how FROM tables_tableboard b JOIN tables_table t ON t.id = b.table_id"
        f" WHERE t.uuid = '{table}' ORDER BY b.position"
    )
    ((state,),) = place.ask(f"SELECT state FROM tables_table WHERE uuid = '{table}'")
    return Log([event[0] for event in events], len({event[1] for event in events}), boards, state)


def check(place: Place, guests: list[Guest]) -> None:
    """Every act that was accepted is in the log once, nothing was refused as illegal, and the boards are over."""
    for table in dict.fromkeys(guest.table for guest in guests):
        there = [guest for guest in guests if guest.table == table]
        log = log_of(place, table)
        assert log.sequences == list(range(1, len(log.sequences) + 1))
        assert log.commands == len(log.sequences)
        assert [board[0] for board in log.boards[:BOARDS]] == ["over"] * BOARDS
        assert {board[1] for board in log.boards[:BOARDS]} <= {"played", "claimed", "passed out"}
        assert log.state == "over"
        assert not [guest.travels.illegal for guest in there if guest.travels.illegal]


def test_twenty_people_play_two_boards_each_at_practice_tables(place: Place) -> None:
    guests = asyncio.run(play(place, place.people(4 * TABLES)))
    answers = sum((guest.travels.answers for guest in guests), Counter[str]())
    print(dict(answers), "sockets", sum(guest.travels.sockets for guest in guests))
    check(place, guests)
    assert {guest.travels.sockets for guest in guests} == {1}
    assert "promises hold" in place.manage("check_invariants")


def test_they_play_on_while_pages_and_sockets_are_killed(place: Place) -> None:
    """What was accepted stays, what was not is sent again with the same id, and nothing is done twice."""

    async def disturb(travellers: list[Traveller]) -> None:
        def acts() -> int:
            return sum(guest.travels.answers["200"] for each in travellers for guest in each.guests)

        assert await until(lambda: acts() > 40, 60)
        place.end(place.live)
        await asyncio.sleep(1)
        place.live = place.start_live()
        assert await until(lambda: all(each.guests[0].socket for each in travellers), 30)
        place.end(place.web)
        assert await until(lambda: turned_away(travellers) > 0, 60)
        place.web = place.start_web()
        before = acts()
        assert await until(lambda: acts() > before + 20, 60)
        place.valkey.stop(signal.SIGKILL)
        place.valkey.start()

    guests = asyncio.run(play(place, place.people(8), disturb=disturb))
    check(place, guests)
    assert min(guest.travels.sockets for guest in guests) >= 2
