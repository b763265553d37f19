"""A call for the director when the table is closed: a side asks about one of its boards, and gets an answer.

The director lets the result stand, or corrects it, with a reason that both sides read.
"""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from django.db import transaction

from apps.clock.services import record
from apps.clock.time import now
from apps.tables.models import DirectorCall, TableBoard
from apps.tables.refusals import Refused
from apps.tables.selectors import is_correctable, seat_then, why_no_question
from apps.tables.services.locks import lock_table
from apps.tables.services.talk import spoken
from apps.tables.signals import answered_afterwards, asked_afterwards, correction_period_held
from apps.users.models import User


@transaction.atomic
def ask_afterwards(*, table_board_id: int, user: User, command: UUID, text: str) -> DirectorCall:
    """A player asks the director about a board that he has played. One command asks once.

    Raises:
        BridgeError: He has not played it, its result is final, his side has asked enough, or says nothing.
    """
    table_board = (
        TableBoard.objects.select_related("table", "board").defer("board__deal").get(pk=table_board_id)
    )
    correction_period_held.send(sender=TableBoard, table_board=table_board)
    table_board.table = table = lock_table(table_board.table_id)
    if asked := table.director_calls.filter(command=command).first():
        return asked
    seat = seat_then(table_board=table_board, user=user)
    if why := why_no_question(table_board=table_board, seat=seat):
        raise why
    call = DirectorCall.objects.create(
        table=table,
        table_board=table_board,
        command=command,
        at=now(),
        seat=seat or "",
        text=spoken(text),
        afterwards=True,
    )
    asked_afterwards.send(sender=DirectorCall, call=call, user=user)
    return call


@transaction.atomic
def let_stand(*, call_id: int, by: User, reason: str) -> bool:
    """The result that a side asked about stands. Whether that is new: what is answered stays answered.

    Raises:
        DirectorCall.DoesNotExist: Nobody has asked that.
        BridgeError: There is no reason, or the result is final.
    """
    asked = DirectorCall.objects.select_related("table_board__table").get(pk=call_id, afterwards=True)
    table_board = asked.table_board
    assert table_board  # noqa: S101 - it is asked about a board
    correction_period_held.send(sender=TableBoard, table_board=table_board)
    call = DirectorCall.objects.select_for_update(no_key=True).get(pk=call_id)
    if call.settled_at:
        return False
    if not is_correctable(table_board):
        raise Refused("Its result is final: nothing about this board is decided any more.")
    _answer(call, DirectorCall.Verdict.STANDS, answer=spoken(reason), at=now(), by_id=by.pk)
    record(
        actor=by,
        action="tables.let stand",
        subject_kind="tables.table",
        subject_id=call.table_id,
        after={"board": call.table_board_id, "seat": call.seat},
    )  # the reason stands with what was asked: others may still play the board
    return True


@transaction.atomic
def answer_by_correction(*, boards: Collection[int], at: datetime, by_id: int | None, reason: str) -> int:
    """The results of these boards were corrected: what was asked about them before is answered. How many that were."""
    open_calls = DirectorCall.objects.select_for_update(no_key=True).filter(
        table_board__in=boards, afterwards=True, settled_at=None, at__lte=at
    )
    calls = list(open_calls.order_by("pk"))
    for call in calls:
        _answer(call, DirectorCall.Verdict.CORRECTED, answer=reason[:300], at=at, by_id=by_id)
    return len(calls)


@transaction.atomic
def leave_unanswered(*, calls: Collection[int]) -> int:
    """These questions wait no longer, for what they are about is final or was cancelled. How many had no answer."""
    unanswered = DirectorCall.objects.select_for_update(no_key=True).filter(pk__in=calls, settled_at=None)
    left = list(unanswered.order_by("pk"))
    for call in left:
        _answer(call, DirectorCall.Verdict.NONE, answer="", at=now(), by_id=None)
    return len(left)


def _answer(call: DirectorCall, verdict: str, *, answer: str, at: datetime, by_id: int | None) -> None:
    call.verdict, call.answer, call.settled_at, call.settled_by_id = verdict, answer, at, by_id
    call.save(update_fields=["verdict", "answer", "settled_at", "settled_by"])
    answered_afterwards.send(sender=DirectorCall, call=call)
