"""Tables as tests need them: four users who sit down, boards that are known, and a hand that plays anything legal."""

import json
import random
from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID, uuid4

from django.test import Client

from apps.boards.models import Board
from apps.boards.services import BoardFacts, create_board_set
from apps.tables.hands import read_board
from apps.tables.models import Table
from apps.tables.services.opening import Chair, House, Plan, open_tables
from apps.tables.services.playing import Done, act
from apps.users.models import Player, User
from bridge.auction import PASS
from bridge.dealing import DEALS, deal_with_number
from bridge.seats import Seat
from bridge.table import AnswerClaim, Claim, MakeCall, PlayCard, PlayerAction, TableState, seats_to_act

CAST = {"N": "Nora", "E": "Ed", "S": "Sue", "W": "Will"}
TURNED = "N:AKQ2.K32.K32.K32 T987.AQJ.AQJ.AQJ J654.T98.T98.T98 3.7654.7654.7654"


def make_cast(prefix: str = "") -> dict[str, Player]:
    """Nora, Ed, Sue and Will with accounts, by seat."""
    return {seat: make_member(prefix + name) for seat, name in CAST.items()}


def make_member(name: str, *, director: bool = False) -> Player:
    user = User.objects.create_user(
        name.casefold().replace(" ", "-"), password="datum-demo", is_director=director
    )
    return Player.objects.create(name=name, user=user)


def make_boards(number: int = 2, *, seed: int = 1) -> list[int]:
    """Boards with random cards, the same for the same seed."""
    chance = random.Random(seed)
    deals = [deal_with_number(chance.randrange(DEALS)).pbn for _ in range(number)]
    board_set = create_board_set(
        name="boards", boards=[BoardFacts(place, deal) for place, deal in enumerate(deals, 1)]
    )
    return list(Board.objects.filter(board_set=board_set).order_by("number").values_list("pk", flat=True))


def make_table(
    cast: dict[str, Player] | None = None,
    *,
    boards: Sequence[int] | None = None,
    house: House | None = None,
    subject: str = "1",
    purpose: str = "test",
    occasion: str = "round",
) -> Table:
    """A table of the cast with two boards, and the first of them on it."""
    cast = make_cast() if cast is None else cast
    plan = Plan(
        subject=subject,
        title="Table",
        chairs={seat: Chair(player.pk) for seat, player in cast.items()},
        boards=make_boards() if boards is None else boards,
    )
    return open_tables(purpose=purpose, occasion=occasion, plans=[plan], house=house)[subject]


def user_of(player: Player) -> User:
    assert player.user
    return player.user


def state_of(table: Table) -> TableState:
    table.refresh_from_db()
    folded, _done = read_board(table)
    assert folded
    return folded.state


def who_acts(table: Table) -> Player:
    """Whose turn it is."""
    (seat,) = seats_to_act(state_of(table))
    return table.sittings.select_related("player__user").get(seat=seat.letter).player


def do(
    table: Table,
    player: Player,
    action: PlayerAction,
    *,
    command: UUID | None = None,
    expect: int | None = None,
) -> Done:
    """The player acts, on the table as it is now unless something else is said."""
    table.refresh_from_db()
    return act(
        table_id=table.pk,
        user=user_of(player),
        command=command or uuid4(),
        expect=table.version if expect is None else expect,
        action=action,
    )


def something(state: TableState, chance: random.Random) -> PlayerAction:
    """A call or a card that is legal now; auctions end soon."""
    if state.play:
        return PlayCard(chance.choice(sorted(state.play.legal_cards())))
    legal = state.auction.legal_calls()
    stops = len(state.auction.calls) > 3 or chance.random() < 0.5
    return MakeCall(PASS if stops and state.auction.last_bid else chance.choice(legal[:12]))


def play_board(
    table: Table, *, seed: int = 1, until: Callable[[TableState], bool] | None = None
) -> TableState:
    """Play the board that lies there with anything legal: until something is so, or one trick and a claim to the end."""
    chance = random.Random(seed)
    state = state_of(table)
    while not state.is_over and not (until and until(state)):
        if until or not state.play or not state.play.tricks:
            do(table, who_acts(table), something(state, chance))
        else:
            claim(table, state, chance)
        state = state_of(table)
    return state


def claim(table: Table, state: TableState, chance: random.Random) -> None:
    """Declarer claims any number of tricks, and it is accepted."""
    assert state.play and state.play.contract.declarer is not None
    players = {each.seat: each.player for each in table.sittings.select_related("player__user")}
    tricks = chance.randrange(14 - len(state.play.tricks))
    do(table, players[state.play.contract.declarer.letter], Claim(tricks))
    while seats := seats_to_act(state_of(table)):
        do(table, players[min(seats).letter], AnswerClaim(accept=True))


def whole(state: TableState) -> bool:
    """For `play_board`: to the last card."""
    return state.is_over


class Browser:
    """A signed-in user before a table, over HTTP."""

    def __init__(self, player: Player, table: Table, *, csrf: bool = False) -> None:
        self.player, self.table = player, table
        self.client = Client(enforce_csrf_checks=csrf)
        self.client.force_login(user_of(player))

    def view(self, **query: Any) -> dict[str, Any]:
        answer = self.client.get(f"{self.table.get_absolute_url()}view", query)
        assert answer.status_code == 200, answer.content
        found: dict[str, Any] = answer.json()
        return found

    def do(self, act: str, *, command: UUID | None = None, expect: int | None = None, **fields: Any) -> Any:
        body = {
            "command": str(command or uuid4()),
            "expect": self.view()["v"] if expect is None else expect,
            "do": {"act": act, **fields},
        }
        return self.post(json.dumps(body))

    def post(self, body: str | bytes) -> Any:
        return self.client.post(f"{self.table.get_absolute_url()}do", body, content_type="application/json")


SEATS = tuple(Seat)
