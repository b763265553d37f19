"""Every step of an event that runs itself, its process killed at every statement: each is made once, and whole.

A fresh process takes over after each kill. What it leaves is what a run without a kill leaves, and every promise of
`check_invariants` holds. Without transactions the same kills break it: the control.
"""

import random
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from uuid import uuid4

import pytest
from django.core.management import call_command

from apps.clock.models import DueWork, Outgoing
from apps.clock.services import tick
from apps.clock.time import move, now
from apps.masterpoints.transitions import AWARD
from apps.pages.invariants import broken
from apps.pairs.models import Entry, Round, RoundScore, Seat, Slip, Swiss
from apps.pairs.services import desk
from apps.pairs.services.direction import report_missing
from apps.pairs.services.registration import enter_pair, say_present, withdraw_pair
from apps.pairs.services.rounds import CLOSE, FINISH, OFFICIAL, OPEN, START
from apps.pairs.services.slips import Said, say_result
from apps.pairs.services.tables import take_results
from apps.results.models import Result
from apps.tables.models import Table
from apps.users.models import Player, User
from bridge.auction import PASS
from bridge.table import MakeCall
from tests.faults.crash import Report, Run, crash_everywhere
from tests.faults.thorough import THOROUGH, Tell, often
from tests.pairs.evening import enter_pairs, make_members, make_swiss, play_round
from tests.tables.tables import do, play_board, who_acts

pytestmark = pytest.mark.django_db(transaction=True)
EVERY = often(1, usual=11)
PAIRS, BOARDS = 9, 3


def bring_to(swiss: Swiss, kind: str) -> None:
    """Let the clock do what comes before work of this kind, until that is due and not yet done."""
    while True:
        work = DueWork.objects.filter(state=DueWork.State.PLANNED).order_by("due_at", "pk")[0]
        move(max(work.due_at - now(), timedelta()) + timedelta(milliseconds=1))
        if work.kind == kind and work.subject == swiss.pk:
            return
        tick(limit=1)


def player_at(swiss: Swiss, table: int, side: str) -> Player:
    seat = Seat.objects.get(round__swiss=swiss, round__state=Round.State.OPEN, table=table, side=side)
    return Player.objects.select_related("user").filter(entrants__entry=seat.contestant_id).order_by("pk")[0]


def say(swiss: Swiss, table: int, side: str, board: int, text: str) -> None:
    player = player_at(swiss, table, side)
    assert player.user
    said = Said.read(text)
    say_result(event_id=swiss.pk, board=board, said=said, by=player.user, player=player, command=uuid4())


def play(swiss: Swiss, number: int, gone: Entry | None = None) -> None:
    """A round with everything that can be unfinished: one word alone, two that differ, a board not played, a pair away."""
    first = BOARDS * (number - 1) + 1
    tables, skip = [1, 2, 3, 4], set()
    if gone and (
        seat := Seat.objects.filter(round__number=number, contestant=gone.pk).exclude(table=None).first()
    ):
        assert seat.table
        host = player_at(swiss, seat.table, "EW" if seat.side == "NS" else "NS")
        assert host.user
        report_missing(event_id=swiss.pk, player=host, by=host.user)
        tables.remove(seat.table)
        skip = {(seat.table, board) for board in range(first, first + BOARDS)}
    alone, disputed, unplayed = tables[:3]
    skip |= {(alone, first), (disputed, first + 1), (unplayed, first + 2)}
    play_round(swiss, random.Random(number), skip=skip)
    say(swiss, alone, "NS", first, "4S N =")
    say(swiss, disputed, "NS", first + 1, "3NT E -1")
    say(swiss, disputed, "EW", first + 1, "3NT E =")


def evening(rounds: int = 3) -> tuple[Swiss, list[Entry]]:
    tick()  # the pulse is going
    swiss = make_swiss(rounds=rounds, boards=BOARDS, presence_minutes=15, grace=5, late_until=3)
    entries = enter_pairs(swiss, PAIRS)
    for entry in entries[:-1]:
        say_present(event_id=swiss.pk, order=entry.contestant.order, by=None)
    return swiss, entries


# ---- moments just before a step, and what makes the step


def at_the_desk() -> Run:
    swiss, _ = evening()
    for place, player in enumerate(make_members(4, "Desk")):
        desk.sit_down(event_id=swiss.pk, player=player, table=1 + place // 2)
        desk.raise_hand(event_id=swiss.pk, player=player)
    bring_to(swiss, desk.ENTER)
    return tick


def before_the_start() -> Run:
    """One pair is missing, and the grace is over: it is left out, and the first round opens."""
    swiss, _ = evening()
    bring_to(swiss, START)
    tick(limit=1)
    bring_to(swiss, START)
    return tick


def between_rounds() -> Run:
    swiss, _ = evening()
    bring_to(swiss, CLOSE)
    play(swiss, 1)
    bring_to(swiss, OPEN)
    return tick


def before_the_bell() -> Run:
    """Of nine pairs one sits out, another is away for the second time."""
    swiss, entries = evening()
    say_present(event_id=swiss.pk, order=PAIRS, by=None)
    bring_to(swiss, CLOSE)
    play(swiss, 1, gone=entries[3])
    bring_to(swiss, OPEN)
    tick()
    play(swiss, 2, gone=entries[3])
    bring_to(swiss, CLOSE)
    return tick


def before_the_end() -> Run:
    swiss, _ = evening(rounds=1)
    bring_to(swiss, CLOSE)
    play(swiss, 1)
    bring_to(swiss, FINISH)
    return tick


def before_the_award() -> Run:
    before_the_end()
    tick(limit=1)
    assert DueWork.objects.filter(kind=AWARD, state=DueWork.State.PLANNED).exists()
    return tick


def before_it_is_official() -> Run:
    before_the_end()
    tick()
    bring_to(Swiss.objects.get(), OFFICIAL)
    return tick


def in_the_second_round() -> Swiss:
    between_rounds()
    tick()
    return Swiss.objects.get()


def late_entry() -> Run:
    swiss, players = in_the_second_round(), make_members(2, "Late")
    return partial(enter_pair, event_id=swiss.pk, players=players, by=None)


def withdrawal() -> Run:
    return partial(withdraw_pair, event_id=in_the_second_round().pk, order=3, by=None)


def at_tables(kind: str) -> Run:
    """An event that is played here: one table finishes a board that nobody has taken, another begins one, one is not there."""
    tick()
    swiss = make_swiss(rounds=2, boards=2, play=Swiss.Play.TABLES, cut=Swiss.Cut.CLOCK)
    enter_pairs(swiss, 7)
    bring_to(swiss, CLOSE)
    finished, begun, _empty = Table.objects.order_by("pk")
    play_board(finished)
    do(begun, who_acts(begun), MakeCall(PASS))
    if kind != CLOSE:
        bring_to(swiss, kind)
    return tick


def before_the_bell_at_tables() -> Run:
    return at_tables(CLOSE)


def between_rounds_at_tables() -> Run:
    return at_tables(OPEN)


def a_board_to_take() -> Run:
    at_tables(CLOSE)
    return partial(take_results, round_id=Round.objects.get(state=Round.State.OPEN).pk)


STEPS: Sequence[Callable[[], Run]] = [
    at_the_desk,
    late_entry,
    withdrawal,
    before_the_start,
    between_rounds,
    before_the_bell,
    before_the_end,
    before_the_award,
    before_it_is_official,
    between_rounds_at_tables,
    before_the_bell_at_tables,
    a_board_to_take,
]


NAMED: Sequence[Callable[[], Run]] = [
    between_rounds,
    before_the_bell,
    before_the_end,
    late_entry,
    withdrawal,
    before_the_award,
]
"""Open, close, finish, enter, withdraw, award: those whose kills the control counts."""


def crash(prepare: Callable[[], Run], *, atomic: bool = True, every: int = EVERY) -> Report:
    """Without mails: each leaves once at most, and a kill may be its end (`tests/clock/test_outbox.py`)."""
    run = prepare()
    User.objects.update(mail=User.Mail.NONE)
    Outgoing.objects.all().delete()
    ids = ["Comparison.results", "Table.uuid"]
    ids += ["Seat.seconds", "TableBoard.ns_seconds", "TableBoard.ew_seconds"]  # true time goes on
    report = crash_everywhere(run=run, check=broken, leave_out=ids, atomic=atomic, every=every)
    print(prepare.__name__, "" if atomic else "without transactions", report)
    return report


@pytest.mark.parametrize("prepare", STEPS, ids=lambda step: step.__name__)
def test_a_step_killed_at_any_statement_is_made_once_and_whole(
    prepare: Callable[[], Run], record_property: Tell
) -> None:
    report = crash(prepare)
    record_property("kill points", report.points)
    record_property("broken", len(report.broken))
    assert report.broken == []


def test_without_transactions_the_same_kills_break_half_of_the_steps(record_property: Tell) -> None:
    """The control. Of the statements of the transitions themselves half must break something, although many only read.

    The clock around them asks and locks in statements of its own; where it falls there, nothing is half done.
    """
    points = broken_at = inside = broken_inside = 0
    for prepare in NAMED if THOROUGH else (late_entry, before_the_bell, before_the_end):
        report = crash(prepare, atomic=False, every=often(1, usual=7))
        by_clock = bool(report.inside)  # who enters or withdraws does it himself: all of it is the transition
        points, broken_at = points + report.points, broken_at + len(report.broken)
        inside += report.inside if by_clock else report.points
        broken_inside += report.broken_inside if by_clock else len(report.broken)
        call_command("flush", verbosity=0, interactive=False)
    print(
        f"broken inside transitions {broken_inside} of {inside}: {100 * broken_inside / inside:.0f} %;"
        f" with the clock's own statements {broken_at} of {points}: {100 * broken_at / points:.0f} %"
    )
    record_property("kill points of the control", points)
    record_property("broken in the control", broken_at)
    record_property("kill points of the control inside transitions", inside)
    record_property("broken in the control inside transitions", broken_inside)
    assert broken_inside >= inside / 2
    assert broken_at >= points / 3


def test_the_round_that_is_closed_has_all_that_can_be_unfinished() -> None:
    run = before_the_bell()
    assert set(Slip.objects.values_list("state", flat=True)) >= {"entered", "confirmed", "disputed"}
    run()
    assert Slip.objects.filter(round__number=2, state=Slip.State.UNCONFIRMED).count() == 1
    assert Slip.objects.filter(round__number=2, state=Slip.State.DISPUTED).count() == 1
    assert Result.objects.filter(kind=Result.Kind.CUT, round=2).count() == 2  # disputed, and not played
    kinds = RoundScore.objects.filter(round__number=2).values_list("kind", flat=True)
    assert set(kinds) == {"played", "bye", "absent", "walkover"}
    assert Entry.objects.filter(state=Entry.State.WITHDRAWN).count() == 1


def test_the_steps_do_what_they_are_called() -> None:
    run = at_the_desk()
    run()
    assert Entry.objects.count() == PAIRS + 2
