"""The boards of an event."""

from dataclasses import dataclass

from apps.boards.models import Board
from apps.boards.selectors import double_dummy_of
from apps.pairs.models import Event, RoundScore, Session
from apps.pairs.selectors.events import being_played
from apps.pairs.selectors.standings import (
    Pair,
    RankingList,
    pairs_of,
    ranked_sessions,
    ranking_lists,
    scores_of_rounds,
)
from apps.pairs.selectors.travellers import Entry, Traveller, travellers_of
from apps.results.models import FieldBoard


@dataclass(frozen=True, slots=True)
class BoardPlace:
    """A board of an event: its place in the field, its cards, how many tricks can be made with them."""

    field_board: int
    session: int
    board: Board
    is_compared: bool
    tricks: str | None


def boards_of(event: Event, *, with_tricks: bool = True) -> list[BoardPlace]:
    """All boards of the event in order, without those of a round that is being played. One query, two with the tricks."""
    places = list(
        FieldBoard.objects.filter(field_id=event.field_id)
        .exclude(session__in=being_played(event))
        .select_related("board")
        .order_by("session", "board__number")
    )
    tricks = double_dummy_of(place.board.deal for place in places) if with_tricks else {}
    return [
        BoardPlace(
            place.pk,
            place.session,
            place.board,
            place.compared_version == place.results_version,
            tricks.get(place.board.deal),
        )
        for place in places
    ]


@dataclass(frozen=True, slots=True)
class WholeEvent:
    """All that is known of an event, for a file. `travellers` are by field board; boards without results have none.

    `rounds` says what each round brought, by pair.
    """

    event: Event
    pairs: dict[int, Pair]
    sessions: list[Session]
    lists: list[RankingList]
    rounds: dict[int, list[RoundScore]]
    places: list[BoardPlace]
    travellers: dict[int, Traveller]

    def entries(self, place: BoardPlace) -> list[Entry]:
        traveller = self.travellers.get(place.field_board)
        return traveller.entries if traveller else []


def whole_event(event: Event) -> WholeEvent:
    """Seven queries, eight for an event that is played in rounds."""
    pairs = pairs_of(event.field_id)
    sessions = list(event.sessions.order_by("number"))
    several = ranked_sessions(event, sessions)
    return WholeEvent(
        event,
        pairs,
        sessions,
        ranking_lists(event, pairs, sessions=several),
        scores_of_rounds(event),
        boards_of(event),
        travellers_of(event, pairs),
    )
