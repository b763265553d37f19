"""Every step of an event that runs itself, its process killed at every statement: each is made once, and whole.

A fresh process takes over after each kill. What it leaves is what a run without a kill leaves, and every promise of
`check_invariants` holds. Without transactions the same kills break it: the control.
"""

from collections.abc import Callable, Sequence

import pytest
from django.core.management import call_command

from apps.clock.models import DueWork, Outgoing
from apps.clock.transitions import transitions
from apps.pages.invariants import broken
from apps.pairs.models import Entry, RoundScore, Slip
from apps.results.models import Result
from apps.users.models import User
from tests.faults.crash import Report, Run, crash_everywhere
from tests.faults.steps import (
    PAIRS,
    STEPS,
    an_invitation_accepted,
    at_the_desk,
    before_the_award,
    before_the_bell,
    before_the_bell_at_tables,
    before_the_end,
    before_the_start,
    between_rounds,
    between_rounds_at_tables,
    late_entry,
    withdrawal,
)
from tests.faults.thorough import THOROUGH, Tell, often

pytestmark = pytest.mark.django_db(transaction=True)
EVERY = often(1, usual=15)

NAMED: Sequence[Callable[[], Run]] = [
    before_the_start,
    between_rounds,
    between_rounds_at_tables,
    before_the_bell,
    before_the_bell_at_tables,
    before_the_end,
    at_the_desk,
    late_entry,
    an_invitation_accepted,
    withdrawal,
    before_the_award,
]
"""Open, close, finish, enter, withdraw, award: those whose kills inside are counted, with transactions and without."""


def inside(report: Report) -> int:
    """How many of the kills fell inside a transition: all, where somebody makes it himself and no clock is around it."""
    return report.inside or report.points


def broken_inside(report: Report) -> int:
    return report.broken_inside if report.inside else len(report.broken)


def crash(prepare: Callable[[], Run], *, atomic: bool = True, every: int = EVERY) -> Report:
    """Without mails: each leaves once at most, and a kill may be its end (`tests/clock/test_outbox.py`)."""
    run = prepare()
    User.objects.update(mail=User.Mail.NONE)
    Outgoing.objects.all().delete()
    before = list(DueWork.objects.filter(state=DueWork.State.DONE).values_list("pk", flat=True))

    def check() -> list[object]:
        made = DueWork.objects.filter(state=DueWork.State.DONE).exclude(pk__in=before)
        unmade = STEPS[prepare] - set(made.values_list("kind", flat=True))
        return [*broken(), *(f"{kind} is not made" for kind in sorted(unmade))]

    ids = ["Comparison.results", "Table.uuid"]
    ids += ["Seal.commitment", "Seal.masked_seed"]  # drawn by chance
    ids += ["Seat.seconds", "TableBoard.ns_seconds", "TableBoard.ew_seconds"]  # true time goes on
    report = crash_everywhere(run=run, check=check, leave_out=ids, atomic=atomic, every=every)
    print(prepare.__name__, "" if atomic else "without transactions", report)
    return report


@pytest.mark.parametrize("prepare", STEPS, ids=lambda step: step.__name__)
def test_a_step_killed_at_any_statement_is_made_once_and_whole(
    prepare: Callable[[], Run], record_property: Tell
) -> None:
    report = crash(prepare)
    record_property("kill points", report.points)
    if prepare in NAMED:
        record_property("kill points inside named transitions", inside(report))
    record_property("broken", len(report.broken))
    assert report.broken == []


def test_all_due_work_that_there_is_is_made_in_some_step() -> None:
    assert set().union(*STEPS.values()) == transitions.keys()


def test_without_transactions_the_same_kills_break_half_of_the_steps(record_property: Tell) -> None:
    """The control. Of the statements of the transitions themselves half must break something, although many only read.

    The clock around them asks and locks in statements of its own; where it falls there, nothing is half done.
    """
    reports = []
    for prepare in NAMED if THOROUGH else (late_entry, before_the_bell, before_the_end):
        reports.append(crash(prepare, atomic=False, every=often(1, usual=7)))
        call_command("flush", verbosity=0, interactive=False)
    points, broken_at = sum(each.points for each in reports), sum(len(each.broken) for each in reports)
    within, broken_within = sum(map(inside, reports)), sum(map(broken_inside, reports))
    print(
        f"broken inside transitions {broken_within} of {within}: {100 * broken_within / within:.0f} %;"
        f" with the clock's own statements {broken_at} of {points}: {100 * broken_at / points:.0f} %"
    )
    record_property("kill points of the control", points)
    record_property("broken in the control", broken_at)
    record_property("kill points of the control inside transitions", within)
    record_property("broken in the control inside transitions", broken_within)
    assert broken_within >= within / 2
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
