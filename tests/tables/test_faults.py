"""What falls in the middle: the answer, Redis, the database. What was accepted is there once, and nothing else is."""

import json
import random
import statistics
import threading
import time
from collections import Counter
from typing import Any
from uuid import UUID, uuid4

import pytest
import redis
from django.db import connection

from apps.tables.hints import Hints
from apps.tables.models import Table, TableEvent
from apps.tables.services import playing
from bridge.auction import PASS
from bridge.table import MakeCall
from tests.faults.thorough import often
from tests.tables.tables import (
    Browser,
    do,
    make_boards,
    make_cast,
    make_table,
    something,
    state_of,
    who_acts,
)

pytestmark = pytest.mark.django_db(transaction=True)
COMMANDS = often(10_000, usual=250)
WORKERS = 6


def test_an_answer_that_is_lost_after_the_commit_is_given_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """As when the process falls between the commit and its answer: the player sends the same once more."""
    table = make_table()
    browser, command = Browser(who_acts(table), table), uuid4()
    browser.client.raise_request_exception = False
    original = playing.act

    def fall(**given: Any) -> None:
        original(**given)
        raise SystemError("the process falls here")

    with monkeypatch.context() as falling:
        falling.setattr(playing, "act", fall)
        assert browser.do("call", call="1C", command=command, expect=1).status_code == 500
    again = browser.do("call", call="1C", command=command, expect=1)
    assert again.json() == {"v": 2, "dup": True}
    assert table.events.count() == 1


def test_what_falls_before_the_commit_has_not_happened(monkeypatch: pytest.MonkeyPatch) -> None:
    table = make_table()
    browser, command = Browser(who_acts(table), table), uuid4()
    browser.client.raise_request_exception = False

    def fall(*_: object, **__: object) -> None:
        raise SystemError("the process falls here")

    with monkeypatch.context() as falling:
        falling.setattr(playing, "touch", fall)
        assert browser.do("call", call="1C", command=command, expect=1).status_code == 500
    assert table.events.count() == 0
    assert state_of(table).version == 0
    assert browser.do("call", call="1C", command=command, expect=1).json() == {"v": 2, "dup": False}


# ---- Redis


class Frozen:
    """A Redis that takes connections and answers nothing."""

    def __enter__(self) -> str:
        import socket

        self.server = socket.create_server(("127.0.0.1", 0), backlog=50)
        return f"redis://127.0.0.1:{self.server.getsockname()[1]}/0"

    def __exit__(self, *_: object) -> None:
        self.server.close()


@pytest.mark.parametrize("how", ["gone", "frozen"])
def test_a_move_does_not_wait_for_a_redis_that_is_gone_or_frozen(
    how: str, settings: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with Frozen() as url:
        settings.REDIS_URL = url if how == "frozen" else "redis://127.0.0.1:1/0"
        monkeypatch.setattr("apps.tables.services.locks.hints", Hints())
        table = make_table()
        seconds = []
        for _ in range(6):
            state, began = state_of(table), time.monotonic()
            do(table, who_acts(table), something(state, random.Random(1)))
            seconds.append(time.monotonic() - began)
    assert table.events.count() == 6
    assert statistics.median(seconds) < 2  # one waits for the time that a hint may take
    assert caplog.text.count("without hints") == 1  # and the others do not try


def test_a_hint_that_cannot_be_given_changes_no_answer(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    monkeypatch.setattr("apps.tables.services.locks.hints", Hints())
    table = make_table()
    assert Browser(who_acts(table), table).do("call", call="1C", expect=1).json() == {"v": 2, "dup": False}


def test_an_emptied_redis_takes_nothing_away(settings: Any) -> None:
    table = make_table()
    do(table, who_acts(table), MakeCall(PASS))
    redis.Redis.from_url(settings.REDIS_URL).flushall()
    browser = Browser(who_acts(table), table)
    assert browser.view()["board"]["calls"][0]["call"] == "Pass"
    assert browser.do("call", call="1C", expect=2).status_code == 200


# ---- ten thousand commands, each sent one to five times


class Player:
    """A player's browser that loses answers, sends again, and sometimes sends what it has sent long ago."""

    def __init__(self, browser: Browser, chance: random.Random) -> None:
        self.browser, self.chance = browser, chance
        self.accepted: dict[UUID, int] = {}
        self.sent: list[tuple[UUID, str]] = []

    def send(self, command: UUID, body: str) -> None:
        """Once to five times; an answer may be lost, and what was heard is never contradicted."""
        for _ in range(self.chance.randint(1, 5)):
            answer = self.browser.post(body)
            if self.chance.random() < 0.05:
                continue  # the connection was cut: nobody has read it
            if answer.status_code == 200:
                version = answer.json()["v"]
                assert self.accepted.setdefault(command, version) == version
            else:
                assert command not in self.accepted, "what was accepted is refused"
                assert answer.status_code in (409, 422)

    def move(self, table: Table, chance: random.Random) -> None:
        state = state_of(table)
        if state.is_over:
            return
        table.refresh_from_db()
        seat = self.browser.view()
        board = seat["board"]
        if board["legal_cards"]:
            act = {"act": "play", "card": chance.choice(board["legal_cards"])}
        elif board["legal_calls"]:
            quiet = len(board["calls"]) > 3
            act = {"act": "call", "call": "Pass" if quiet else chance.choice(board["legal_calls"][:10])}
        else:
            act = {"act": "call", "call": "1C"}  # out of turn
        command = uuid4()
        body = json.dumps({"command": str(command), "expect": seat["v"], "do": act})
        self.sent.append((command, body))
        self.send(command, body)
        if self.chance.random() < 0.1:
            self.send(*self.chance.choice(self.sent))  # long ago


def test_of_many_commands_sent_many_times_each_is_accepted_once() -> None:
    tables = [
        make_table(make_cast(f"{number} "), boards=make_boards(40, seed=number), subject=str(number))
        for number in range(WORKERS)
    ]
    counts: Counter[str] = Counter()
    players: list[Player] = []
    errors: list[BaseException] = []

    def run(table: Table, number: int) -> None:
        chance = random.Random(number)
        try:
            four = [
                Player(Browser(sitting.player, table), random.Random(f"{number} {sitting.seat}"))
                for sitting in table.sittings.select_related("player__user")
            ]
            players.extend(four)
            while sum(len(player.sent) for player in four) < COMMANDS // WORKERS:
                if state_of(table).is_over:
                    next_board(table)
                acting = who_acts(table)
                mover = next(player for player in four if player.browser.player == acting)
                other = chance.choice(four)
                for player in (mover, other) if chance.random() < 0.3 else (mover,):
                    player.move(table, chance)
                    counts["sent"] += 1
        except BaseException as error:
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(table, number)) for number, table in enumerate(tables)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(1200)
    assert not errors
    heard = {command: version for player in players for command, version in player.accepted.items()}
    sent = {command for player in players for command, _body in player.sent}
    log = {event.command: event.version for event in TableEvent.objects.all()}
    assert len(sent) >= COMMANDS // WORKERS * WORKERS
    assert heard.items() <= log.items()  # what was accepted is in the log, as it was said
    assert log.keys() <= sent  # and nothing else is
    for table in Table.objects.all():
        numbers = list(table.events.order_by("sequence").values_list("sequence", flat=True))
        assert numbers == list(range(1, table.sequence + 1))


def next_board(table: Table) -> None:
    from apps.tables.services.boards import open_next

    current = table.current
    assert current
    open_next(table_id=table.pk, position=current.position + 1)
