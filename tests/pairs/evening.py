"""An evening at the club: an event that runs itself, driven through the services that people and the clock use."""

import random
from collections.abc import Iterable
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db.models import Min

from apps.boards.services import seal_deals
from apps.clock.models import DueWork
from apps.clock.services import schedule, tick
from apps.clock.time import move, now
from apps.pairs.models import Entry, Event, Round, Seat, Slip, Swiss
from apps.pairs.services.registration import enter_pair
from apps.pairs.services.rounds import START
from apps.pairs.services.slips import Said, confirm_result, say_result
from apps.results.services import create_field
from apps.users.models import Player, User
from bridge.comparison import Method, Rules
from bridge.contracts import Contract, Doubling, Strain, result_text
from bridge.seats import Seat as Chair
from tests.factories import confirm_addresses


def make_swiss(*, method: Method = Method.MP, title: str = "Swiss evening", **settings: Any) -> Swiss:
    """An announced event that starts in ten minutes: two rounds of two boards, twenty minutes each."""
    field = create_field(rules=Rules(method))
    field.by_session = True
    field.save()
    starts_at = now() + timedelta(minutes=10)
    event = Event.objects.create(
        title=title, field=field, state=Event.State.ANNOUNCED, played_on=starts_at.date()
    )
    plan = {"rounds": 2, "boards": 2, "minutes": 20, "pause": 1, "min_pairs": 2, "grace": 0} | settings
    swiss = Swiss.objects.create(
        event=event,
        seal=seal_deals(name=f"pairs-{event.pk}"),
        zone="Europe/Athens",
        local_start="2026-11-30T20:00",
        starts_at=starts_at,
        **plan,
    )
    schedule(kind=START, subject=event.pk, due_at=starts_at)
    return swiss


def make_members(number: int, prefix: str = "Player") -> list[Player]:
    """Players with accounts."""
    users = User.objects.bulk_create(
        User(
            username=f"{prefix.casefold()}{place}",
            email=f"{prefix.casefold()}{place}@example.org",
            password="!",
        )
        for place in range(1, number + 1)
    )
    confirm_addresses(users)
    return [Player.objects.create(name=f"{prefix} {place}", user=user) for place, user in enumerate(users, 1)]


def enter_pairs(swiss: Swiss, pairs: int, prefix: str = "Player") -> list[Entry]:
    players = make_members(2 * pairs, prefix)
    return [
        enter_pair(event_id=swiss.pk, players=players[2 * pair : 2 * pair + 2], by=players[2 * pair].user)
        for pair in range(pairs)
    ]


def pass_time(**length: float) -> None:
    """Let time pass, and the clock do what it brings, each step at its moment."""
    end = now() + timedelta(**length)
    while tick() or now() < end:
        moment = now()
        due = DueWork.objects.filter(state=DueWork.State.PLANNED, due_at__gt=moment).aggregate(
            next=Min("due_at")
        )
        move(max(min(due["next"] or end, end) - moment, timedelta(milliseconds=1)))


def start(swiss: Swiss) -> None:
    pass_time(seconds=(swiss.starts_at - now()).total_seconds() + 1)


def play_round(swiss: Swiss, rng: random.Random, *, skip: Iterable[tuple[int, int]] = ()) -> None:
    """Every table enters and confirms its boards; `skip` names tables and boards that stay unfinished."""
    current = Round.objects.get(swiss=swiss, state=Round.State.OPEN)
    left_out = set(skip)
    seats = Seat.objects.filter(round=current).exclude(table=None).order_by("table", "side")
    sides: dict[int, dict[str, Player]] = {}
    for seat in seats:
        player = Player.objects.filter(entrants__entry=seat.contestant_id).order_by("pk")[0]
        sides.setdefault(seat.table or 0, {})[seat.side] = player
    for table, players in sides.items():
        for board in range((current.number - 1) * swiss.boards + 1, current.number * swiss.boards + 1):
            said = some_result(rng)
            if (table, board) in left_out:
                continue
            north, east = players["NS"], players["EW"]
            assert north.user and east.user
            slip = say_result(
                event_id=swiss.pk, board=board, said=said, by=north.user, player=north, command=command(rng)
            )
            assert slip.state == Slip.State.ENTERED
            slip = confirm_result(
                event_id=swiss.pk,
                board=board,
                version=slip.version,
                by=east.user,
                player=east,
                command=command(rng),
            )
            assert slip.state == Slip.State.CONFIRMED


def some_result(rng: random.Random) -> Said:
    if rng.random() < 0.02:
        return Said.read("Pass")
    contract = Contract(
        rng.choice((1, 2, 3, 3, 4, 4, 6)),
        Strain(rng.randrange(5)),
        Doubling(rng.choices((0, 1), (9, 1))[0]),
        Chair(rng.randrange(4)),
    )
    tricks = min(13, max(0, contract.tricks_needed + rng.choice((-2, -1, 0, 0, 1))))
    assert contract.declarer is not None
    return Said.read(f"{contract.text} {contract.declarer.letter} {result_text(contract, tricks)}")


def command(rng: random.Random) -> UUID:
    return UUID(int=rng.getrandbits(128))


def reload(swiss: Swiss) -> Swiss:
    return Swiss.objects.select_related("event__field").get(pk=swiss.pk)
