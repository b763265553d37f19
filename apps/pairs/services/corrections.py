"""Who may correct results of an event, and until when; and the players are told when one of theirs is corrected."""

from collections.abc import Sequence

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from apps.pairs.models import Event, Swiss
from apps.pairs.selectors.oversight import refuse_players
from apps.pairs.selectors.tables import boards_at_tables, events_of, open_questions
from apps.pairs.services.imports import in_words
from apps.pairs.services.locks import lock_event
from apps.pairs.services.registration import Refused
from apps.pairs.services.slips import refuse_when_settled
from apps.results.models import Contestant, Member, ResultChange
from apps.results.selectors import Change, change_of
from apps.tables.models import TableBoard
from apps.tables.services.afterwards import answer_by_correction, leave_unanswered
from apps.users.models import User
from apps.users.services import notify_each

CORRECTED = _("%(event)s, board %(board)s: your result was corrected. Reason: %(reason)s")
MOVED = _("%(event)s: your result on board %(board)s belongs to board %(to)s. Reason: %(reason)s")
TAKEN = _("%(event)s, board %(board)s: a result was taken for yours and is not. Reason: %(reason)s")
GIVEN = _("%(event)s, board %(to)s: a result that stood elsewhere is yours. Reason: %(reason)s")


@transaction.atomic
def refuse_correction(*, results: Sequence[int], user: User) -> None:
    """Keep a director from results that are final, or his own. An event that runs itself is held meanwhile.

    Raises:
        PermissionDenied: One of these results is not for him to correct, or not any more.
    """
    events = Swiss.objects.filter(event__field__field_boards__results__in=results)
    for event_id, field in events.order_by("pk").values_list("pk", "event__field").distinct():
        refuse_players(field, user)
        try:
            refuse_when_settled(lock_event(event_id))
        except Refused as refused:
            raise PermissionDenied(in_words(refused)) from refused
    at_table = Q(contestant__results_ns__in=results) | Q(contestant__results_ew__in=results)
    if Member.objects.filter(at_table, player__user=user).exists():
        raise PermissionDenied(
            gettext(
                "You play in one of these pairs. Another director or an administrator corrects its results."
            )
        )


@transaction.atomic
def tell_of_correction(*, change_id: int) -> None:
    """Tell all whom a correction concerns, the pairs that had the result and those that have it, once.

    It answers what they had asked about the board. Nobody is told of what was corrected in a draft.
    """
    change = change_of(change_id)
    _answer_questions(change)
    event = Event.objects.filter(field_id=change.after.ns.field_id, state=Event.State.PUBLISHED).first()
    if event is None:
        return
    for pair in change.pairs.values():
        users = Member.objects.filter(contestant=pair, player__user__isnull=False)
        words: dict[str, str | int] = {
            "event": event.title,
            "board": change.before.field_board.board.number,
            "to": change.after.field_board.board.number,
            "reason": change.reason,
        }
        notify_each(
            words=dict.fromkeys(users.values_list("player__user_id", flat=True), words),
            key=f"result corrected {change_id}",
            message=_sentence(change, pair),
            url=reverse("pairs:scorecard", args=[event.pk, pair.order]),
        )


def _answer_questions(change: Change) -> None:
    """What a side had asked the director about a board at a table of this site is answered by its correction."""
    seated = list(Member.objects.filter(contestant__in=change.pairs).values_list("player_id", flat=True))
    boards = {
        board.pk
        for result in (change.before, change.after)
        for board in boards_at_tables(result.field_board).filter(players__overlap=seated)
    }
    if boards:
        by_id = ResultChange.objects.values_list("by_id", flat=True).get(pk=change.pk)
        answer_by_correction(boards=boards, at=change.at, by_id=by_id, reason=change.reason)


def hold_event_of(table_board: TableBoard) -> None:
    """The event of a board that was played at a table of this site becomes neither final nor cancelled meanwhile."""
    for event_id in events_of(table_board.table):
        lock_event(event_id)


def answer_what_was_corrected(swiss: Swiss) -> None:
    """Answer in an event that the caller has locked what the corrections of it answer, told already or not."""
    asked = open_questions(swiss).select_for_update(of=["self"], no_key=True).order_by("pk")
    if moments := [call.at for call in asked]:
        changes = ResultChange.objects.filter(
            result__field_board__field=swiss.event.field_id, at__gte=min(moments)
        )
        for change_id in changes.order_by("pk").values_list("pk", flat=True):
            _answer_questions(change_of(change_id))


def close_questions(swiss: Swiss) -> None:
    """Nothing of an event that the caller has locked is corrected any more, so that nothing is asked about it either."""
    answer_what_was_corrected(swiss)
    leave_unanswered(calls=list(open_questions(swiss).values_list("pk", flat=True)))


def _sentence(change: Change, pair: Contestant) -> str:
    before, after = change.before, change.after
    if pair.pk not in (after.ns_id, after.ew_id):
        return TAKEN
    if pair.pk not in (before.ns_id, before.ew_id):
        return GIVEN
    return CORRECTED if before.field_board_id == after.field_board_id else MOVED
