"""Small builders of real rows. The cast: Nora, Ed, Sue and Will sit North, East, South and West; Vera watches."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from allauth.account.models import EmailAddress

from apps.boards.services import BoardFacts, create_board_set
from apps.pairs.models import Event, Session
from apps.results.models import Contestant, FieldBoard, Result
from apps.results.services import (
    ContestantFacts,
    Play,
    add_boards,
    add_contestants,
    create_field,
    record_results,
)
from apps.users.models import Player, User
from bridge.awards import Ruling
from bridge.comparison import Method, Rules
from bridge.contracts import read_contract

CAST = ("Nora", "Ed", "Sue", "Will")

Entry = int | str | Ruling | None
"""A score, a contract with its result (`4S N +1`), a ruling, or a board that was not played."""


def make_user(name: str = "vera", *, director: bool = False, password: str = "datum-demo") -> User:
    """An account with a confirmed address."""
    user = User.objects.create_user(name, f"{name}@example.org", password, is_director=director)
    confirm_addresses([user])
    return user


def confirm_addresses(users: Iterable[User]) -> None:
    """As when each has opened the link in the mail that was sent there."""
    EmailAddress.objects.bulk_create(
        EmailAddress(user=user, email=user.email.lower(), verified=True, primary=True)
        for user in users
        if user.email
    )


def make_players(number: int) -> list[Player]:
    names = [f"{CAST[place % 4]} {place // 4 + 1}" for place in range(number)]
    return [Player.objects.create(name=name) for name in names]


def make_event(
    boards: Sequence[Sequence[Entry]],
    *,
    method: Method = Method.BUTLER,
    rules: Rules | None = None,
    winners: int = 2,
    deals: Mapping[int, str] | None = None,
    title: str = "Monday Pairs",
) -> Event:
    """A draft event: `boards[b][t]` is what happened on board b + 1 at table t + 1, where pair t + 1 sits North–South
    against pair t + 1 of the East–West line."""
    tables = max(map(len, boards))
    event_rules = rules or Rules(method)
    field = create_field(rules=event_rules)
    event = Event.objects.create(title=title, field=field, winners=winners, played_on=date(2026, 11, 23))
    facts = [BoardFacts(number, (deals or {}).get(number, "")) for number in range(1, len(boards) + 1)]
    board_set = create_board_set(name=title, boards=facts)
    Session.objects.create(event=event, number=1, board_set=board_set)
    field_boards = add_boards(field=field, board_set=board_set)
    players = make_players(4 * tables)
    pairs = add_contestants(
        field=field,
        contestants=[
            ContestantFacts(f"{table + 1} {side}", players[4 * table + seat : 4 * table + 4 : 2], side)
            for seat, side in enumerate(("NS", "EW"))
            for table in range(tables)
        ],
    )
    plays = [
        make_play(entry, field_boards[number], pairs[f"{table} NS"], pairs[f"{table} EW"])
        for number, row in enumerate(boards, 1)
        for table, entry in enumerate(row, 1)
    ]
    record_results(field=field, plays=plays, source=Result.Source.ENTERED)
    return event


def make_play(entry: Entry, field_board: FieldBoard, ns: Contestant, ew: Contestant) -> Play:
    match entry:
        case int():
            return Play(field_board, ns, ew, score=entry)
        case str():
            contract, tricks = read_contract(entry)
            return Play(field_board, ns, ew, contract=contract, tricks=tricks, passed_out=contract is None)
        case Ruling():
            return Play(field_board, ns, ew, ruling=entry)
        case None:
            return Play(field_board, ns, ew)
