"""A pair's score card, and what it averages by role."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from django.db.models import Q

from apps.pairs.models import Event
from apps.pairs.selectors.events import shown_results
from apps.pairs.selectors.standings import Pair
from apps.pairs.selectors.travellers import Row, result_rows
from apps.results.models import Contestant, Penalty
from bridge.awards import Award, turned


def _percent_of(lines: Iterable["CardLine"]) -> Fraction | None:
    counted = [(line.points, line.row.top) for line in lines if line.points is not None and line.row.top]
    tops = sum(top for _, top in counted)
    return 100 * sum((points for points, _ in counted), Fraction(0)) / tops if tops else None


@dataclass(frozen=True, slots=True)
class CardLine:
    """A board on a score card, from the pair's side; `running` is the total so far."""

    row: Row
    is_ns: bool
    score: int | None
    points: Fraction | None
    percent: Fraction | None
    running: Fraction

    @property
    def award(self) -> Award | None:
        ruling = self.row.ruling
        if ruling is None:
            return None
        return ruling.ns if self.is_ns else turned(ruling.ew)


@dataclass(frozen=True, slots=True)
class Meeting:
    """The boards that a pair played in a row against the same opponents."""

    round: int | None
    opponents: Pair
    lines: list[CardLine]

    @property
    def points(self) -> Fraction:
        return sum((line.points for line in self.lines if line.points is not None), Fraction(0))

    @property
    def percent(self) -> Fraction | None:
        return _percent_of(self.lines)


@dataclass(frozen=True, slots=True)
class SitOut:
    """A round that others played and this pair did not.

    Attributes:
        boards: Those it missed, where that can be told.
        gone: Whether it had withdrawn by then.
    """

    round: int
    boards: list[int]
    gone: bool


@dataclass(frozen=True, slots=True)
class CardSession:
    """A session on a score card: its rounds in order, what was taken off, and the sums."""

    number: int
    rounds: list[Meeting | SitOut]
    penalties: list[Penalty]

    @property
    def meetings(self) -> list[Meeting]:
        return [each for each in self.rounds if isinstance(each, Meeting)]

    @property
    def lines(self) -> list[CardLine]:
        return [line for meeting in self.meetings for line in meeting.lines]

    @property
    def boards(self) -> int:
        """How many boards gave points."""
        return sum(line.points is not None for line in self.lines)

    @property
    def points(self) -> Fraction:
        """What the boards gave, before penalties."""
        return sum((meeting.points for meeting in self.meetings), Fraction(0))

    @property
    def percent(self) -> Fraction | None:
        return _percent_of(self.lines)


@dataclass(frozen=True, slots=True)
class ScoreCard:
    """What a pair did in an event."""

    sessions: list[CardSession]

    @property
    def meetings(self) -> list[Meeting]:
        return [meeting for session in self.sessions for meeting in session.meetings]

    @property
    def lines(self) -> list[CardLine]:
        return [line for session in self.sessions for line in session.lines]

    @property
    def penalties(self) -> list[Penalty]:
        return [penalty for session in self.sessions for penalty in session.penalties]

    @property
    def boards(self) -> int:
        return sum(session.boards for session in self.sessions)

    @property
    def points(self) -> Fraction:
        """What the boards gave, before penalties."""
        return sum((session.points for session in self.sessions), Fraction(0))

    @property
    def percent(self) -> Fraction | None:
        return _percent_of(self.lines)


def score_card(event: Event, pair: Pair, pairs: dict[int, Pair]) -> ScoreCard:
    """What a pair did, session by session and round by round, with the rounds it sat out. Four queries."""
    results = shown_results(event).filter(Q(ns=pair.pk) | Q(ew=pair.pk))
    rows = result_rows(results.order_by("field_board__session", "round", "field_board__board__number"))
    met: dict[int, list[Meeting]] = {}
    running = Fraction(0)
    for row in rows:
        is_ns = row.ns == pair.pk
        points = row.ns_points if is_ns else row.ew_points
        running += points or 0
        opponents = pairs[row.ew if is_ns else row.ns]
        meetings = met.setdefault(row.session, [])
        if not meetings or (meetings[-1].round, meetings[-1].opponents.pk) != (row.round, opponents.pk):
            meetings.append(Meeting(row.round, opponents, []))
        score, percent = (row.ns_score, row.ns_percent) if is_ns else (row.ew_score, row.ew_percent)
        meetings[-1].lines.append(CardLine(row, is_ns, score, points, percent, running))
    penalties: dict[int, list[Penalty]] = {}
    for penalty in Penalty.objects.filter(contestant=pair.pk).order_by("session", "pk"):
        penalties.setdefault(penalty.session, []).append(penalty)
    in_rounds = _boards_in_rounds(event)
    return ScoreCard(
        [
            CardSession(
                session,
                _with_sit_outs(met.get(session, []), in_rounds.get(session, {}), pair),
                penalties.get(session, []),
            )
            for session in sorted({*met, *penalties})
        ]
    )


def _boards_in_rounds(event: Event) -> dict[int, dict[int, set[int]]]:
    """By session and round the numbers of the boards that were on the tables. One query."""
    results = shown_results(event).filter(round__isnull=False)
    boards: dict[int, dict[int, set[int]]] = {}
    for session, number, board in results.values_list(
        "field_board__session", "round", "field_board__board__number"
    ).distinct():
        boards.setdefault(session, {}).setdefault(number or 0, set()).add(board)
    return boards


def _with_sit_outs(
    meetings: list[Meeting], in_rounds: dict[int, set[int]], pair: Pair
) -> list[Meeting | SitOut]:
    """The rounds of a session in order. Where a round of some meeting is not known, no sit-out can be told."""
    played = {meeting.round or 0 for meeting in meetings}
    if not played or 0 in played:
        return [*meetings]
    seen = {line.row.number for meeting in meetings for line in meeting.lines}
    size = max(len(meeting.lines) for meeting in meetings)
    rounds: list[Meeting | SitOut] = [*meetings]
    for number in in_rounds.keys() - played:
        missed = sorted(in_rounds[number] - seen)
        gone = pair.status != Contestant.Status.ACTIVE and number > max(played)
        rounds.append(SitOut(number, missed if len(missed) <= size else [], gone))
    return sorted(rounds, key=lambda each: each.round or 0)


@dataclass(frozen=True, slots=True)
class Role:
    """How a pair fared in one role: points a board, or percent."""

    boards: int
    average: Fraction


def by_role(meetings: Iterable[Meeting]) -> dict[str, Role]:
    """The average as the declaring side and as the defending one, where the declarer is known."""
    values: dict[str, list[Fraction]] = {"declaring": [], "defending": []}
    for line in (line for meeting in meetings for line in meeting.lines):
        value = line.points if line.percent is None else line.percent
        if line.row.declarer and value is not None:
            declares = (line.row.declarer in "NS") == line.is_ns
            values["declaring" if declares else "defending"].append(value)
    return {
        role: Role(len(each), sum(each, Fraction(0)) / len(each)) for role, each in values.items() if each
    }
