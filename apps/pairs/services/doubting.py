"""The question that is put once more to whoever enters a doubtful result."""

from django.db import transaction

from apps.clock.models import AuditEntry
from apps.clock.services import record
from apps.pairs.models import Swiss
from apps.pairs.services.slips import Said, seat_of
from apps.results.models import FieldBoard, Result
from apps.users.models import Player, User
from bridge.cards import Card, Deal
from bridge.doubts import Doubt, doubts
from bridge.scoring import ns_score
from bridge.seats import Vulnerability

DOUBTED = "pairs.doubted"
MOST_QUESTIONS = 3


@transaction.atomic
def question(*, event_id: int, board: int, said: Said, by: User, player: Player) -> tuple[Doubt, ...]:
    """What is doubtful about a word that a player is going to say of a board of the open round.

    A question tells a little about cards and results that nobody has shown yet. Therefore each one is kept in the log of
    the event, and after a few of them a table gets no more about the same board.
    """
    swiss = Swiss.objects.select_related("event").get(pk=event_id)
    at = seat_of(swiss=swiss, player=player)
    places = FieldBoard.objects.select_related("board").filter(field=swiss.event.field_id)
    place = places.filter(session=at.round.number, board__number=board).first() if at else None
    if at is None or place is None:
        return ()
    asked = AuditEntry.objects.filter(
        subject_kind="pairs.event",
        subject_id=event_id,
        action=DOUBTED,
        after__table=at.table,
        after__board=board,
    )
    if asked.count() >= MOST_QUESTIONS:
        return ()
    outcome = said.outcome()
    others = Result.objects.filter(field_board=place, kind=Result.Kind.PLAYED).exclude(ns=at.ns)
    found = doubts(
        contract=outcome["contract"],
        lead=Card.from_text(said.lead) if said.lead else None,
        deal=Deal.from_pbn(place.board.deal) if place.board.deal else None,
        ns_score=ns_score(outcome["contract"], outcome["tricks"], Vulnerability(place.board.vulnerable)),
        field_scores=[score for score in others.values_list("ns_score", flat=True) if score is not None],
    )
    if found:
        record(
            actor=by,
            action=DOUBTED,
            subject_kind="pairs.event",
            subject_id=event_id,
            after={"round": at.round.number, "table": at.table, "board": board, "said": said.to_json()},
        )
    return found
