"""What people see of an event that runs itself: the desk, where they sit, what is left to do, how it stands.

Nothing here looks at a card. What a side said on a slip is shown to the two pairs of its table alone.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Any, Generic, TypeVar

from django.db import connection
from django.db.models import Count, F, Q
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext

from apps.clock.time import now
from apps.pairs.models import (
    DeskSeat,
    Entrant,
    Entry,
    Event,
    Invitation,
    Round,
    RoundScore,
    Seat,
    Slip,
    Swiss,
)
from apps.pairs.selectors import Pair, RankingList, find_events, pairs_of, ranking_lists
from apps.pairs.selectors.pairing import check_pairing
from apps.pairs.selectors.tables import PURPOSE, OwnTable, own_table
from apps.pairs.selectors.travellers import time_used
from apps.pairs.services.imports import in_words
from apps.pairs.services.registration import MOST_RETURNS, Refused, admits, check_admission
from apps.pairs.services.slips import Said
from apps.pairs.templatetags.figures import who
from apps.results.models import Contestant, Result
from apps.users.models import Player, User, name_key
from bridge.scoring import ns_score
from bridge.seats import Vulnerability, dealer, vulnerability
from bridge.slow_play import TimeUsed
from bridge.swiss import PAIR_PARAMS, PROOFS, Certificate, Reason

Row = TypeVar("Row")

LIVE = (Swiss.State.ANNOUNCED, Swiss.State.RUNNING, Swiss.State.SUSPENDED)
SETTLED = (Slip.State.CONFIRMED, Slip.State.RULED, Slip.State.UNCONFIRMED)
NAMES_SUGGESTED = 8
ROWS_SHOWN = 10  # of a list that is longer: to who is in it its first rows and those around the own
FIRST_ROWS, ROWS_AROUND = 3, 2


# ---- has anything changed?


def version_of(event_id: int, user_id: int | None, at: datetime) -> str | None:
    """What moves whenever the page of the event does for this viewer; None when there is no such event. One query.

    Beside the version of the event these are: the slips of the viewer's table, or its boards that are over, the standings
    where they move during a round, and whether the presence check has begun.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT swiss.state || (swiss.current_round > 0)::int, swiss.version,
                      CASE WHEN swiss.barometer OR swiss.state NOT IN ('announced', 'running') THEN event.ranked_version END,
                      %s >= swiss.starts_at - swiss.presence_minutes * interval '1 minute',
                      (SELECT sum(slip.version) FROM pairs_slip slip
                       JOIN pairs_round round ON round.id = slip.round_id AND round.state = 'open'
                       JOIN pairs_entrant entrant
                         ON entrant.swiss_id = round.swiss_id AND entrant.entry_id IN (slip.ns_id, slip.ew_id)
                       JOIN users_player player ON player.id = entrant.player_id AND player.user_id = %s
                       WHERE round.swiss_id = swiss.event_id),
                      (SELECT count(*) FROM pairs_round round
                       JOIN tables_table place ON place.purpose = %s AND place.occasion = round.id::text
                       JOIN tables_sitting sitting ON sitting.table_id = place.id
                       JOIN users_player player ON player.id = sitting.player_id AND player.user_id = %s
                       JOIN tables_tableboard board ON board.table_id = place.id AND board.state = 'over'
                       WHERE round.swiss_id = swiss.event_id AND round.state = 'open')
               FROM pairs_swiss swiss JOIN pairs_event event ON event.id = swiss.event_id WHERE swiss.event_id = %s""",
            [at, user_id, PURPOSE, user_id, event_id],
        )
        row = cursor.fetchone()
    return ".".join("" if part is None else str(part) for part in row) if row else None


def frame_of(swiss: Swiss) -> str:
    """What the frame of the page depends on: whether the event has begun, stands still, is over. A version begins with it."""
    return f"{swiss.state}{int(swiss.current_round > 0)}"


# ---- events that are coming or being played


@dataclass(frozen=True, slots=True)
class ListedSwiss:
    """An event in the list of those to come and those being played."""

    swiss: Swiss
    pairs: int
    is_entered: bool


def coming_events(user: object, *, most: int = 30, method: str = "", text: str = "") -> list[ListedSwiss]:
    """What is being played, then what is to come, the next first; and what was cancelled today. One query.

    Args:
        user: Who looks.
        most: So many that are to come at most, and so many others: neither takes the place of the other.
        method, text: Only those that are found by these.
    """
    viewer = user.pk if isinstance(user, User) else None
    recent = now() - timedelta(hours=12)
    events = find_events(Event.objects.filter(state=Event.State.ANNOUNCED), method=method, text=text)
    listed_here = Q(state__in=LIVE) | Q(state=Swiss.State.CANCELLED, starts_at__gt=recent)
    by_start = Swiss.objects.filter(listed_here, event__in=events).order_by("starts_at", "pk").values("pk")
    is_to_come = Q(state=Swiss.State.ANNOUNCED)
    found = (
        Swiss.objects.filter(
            Q(pk__in=by_start.filter(is_to_come)[:most]) | Q(pk__in=by_start.exclude(is_to_come)[:most])
        )
        .select_related("event__field")
        .annotate(
            pairs=Count("entries", filter=~Q(entries__state=Entry.State.WITHDRAWN), distinct=True),
            own=Count(
                "entrants", filter=Q(entrants__player__user=viewer) if viewer else Q(pk=None), distinct=True
            ),
        )
        .order_by("starts_at", "pk")
    )
    listed = [ListedSwiss(swiss, swiss.pairs, swiss.own > 0) for swiss in found]
    return sorted(listed, key=lambda each: each.swiss.state == Swiss.State.ANNOUNCED)


def playing_now(user: object) -> Seat | None:
    """Where a person sits in a round that is being played. One query."""
    if not isinstance(user, User):
        return None
    seats = Seat.objects.filter(round__state=Round.State.OPEN, contestant__entry__entrants__player__user=user)
    live = seats.filter(round__swiss__state__in=LIVE).exclude(table=None)
    return live.select_related("round__swiss__event").order_by("-round__opened_at").first()


# ---- the desk


@dataclass(frozen=True, slots=True)
class DeskTable:
    """A table of the desk. `until` is when the pair is entered, once both hands are up."""

    number: int
    chairs: tuple[DeskSeat | None, DeskSeat | None]
    held_since: datetime | None
    until: datetime | None

    @property
    def free(self) -> bool:
        return None in self.chairs


@dataclass(frozen=True, slots=True)
class Desk:
    """The registration desk as one player sees it.

    Attributes:
        own: The viewer's table.
        chair: The viewer's chair there.
        opposite: The chair across.
        alone: Players who wait for a partner at a table, the viewer left out.
        asked: Invitations to the viewer; `asking`: those by him.
    """

    tables: list[DeskTable]
    own: DeskTable | None
    chair: DeskSeat | None
    opposite: DeskSeat | None
    asked: list[Invitation]
    asking: list[Invitation]

    @property
    def alone(self) -> list[DeskTable]:
        return [table for table in self.tables if table.free and table != self.own]


def _desk_of(swiss: Swiss, player: Player | None) -> Desk:
    """Two queries, one without a player."""
    seats: dict[int, dict[int, DeskSeat]] = {}
    for seat in DeskSeat.objects.filter(swiss=swiss).select_related("player").order_by("table", "seat"):
        seats.setdefault(seat.table, {})[seat.seat] = seat
    tables = [_desk_table(swiss, number, chairs) for number, chairs in seats.items()]
    own, chair, opposite = None, None, None
    for table in tables:
        for at, taken in enumerate(table.chairs):
            if player and taken is not None and taken.player_id == player.pk:
                own, chair, opposite = table, taken, table.chairs[1 - at]
    invitations: list[Invitation] = []
    if player:
        mine = Invitation.objects.filter(
            Q(to=player) | Q(by=player), swiss=swiss, state=Invitation.State.OPEN
        )
        invitations = list(mine.select_related("by", "to").order_by("pk"))
    asked = [each for each in invitations if player and each.to_id == player.pk]
    return Desk(tables, own, chair, opposite, asked, [each for each in invitations if each not in asked])


def _desk_table(swiss: Swiss, number: int, chairs: Mapping[int, DeskSeat]) -> DeskTable:
    hands = [seat.hand_at for seat in chairs.values() if seat.hand_at]
    since = max(hands) if len(hands) == 2 else None
    until = since + timedelta(seconds=swiss.hold) if since else None
    return DeskTable(number, (chairs.get(1), chairs.get(2)), since, until)


def suggested_players(swiss: Swiss, text: str, *, but: Player) -> list[Player]:
    """Players with an account who could be asked to play, by the letters of their names. One query."""
    wanted = name_key(text)
    if len(wanted) < 2:
        return []
    found = Player.objects.filter(
        name_key__contains=wanted, user__is_active=True, user__is_guest=False
    ).exclude(pk=but.pk)
    if swiss.admission == Swiss.Admission.INVITED:
        found = found.filter(pk__in=swiss.invited.values("pk"))
    found = found.exclude(pk__in=Entrant.objects.filter(swiss=swiss).values("player"))
    return list(found.order_by("name_key", "pk")[:NAMES_SUGGESTED])


# ---- a table of the open round


@dataclass(frozen=True, slots=True)
class Word:
    """What a side said happened: a contract with declarer and result, as North–South's score too."""

    said: Said
    score: int

    @property
    def ew_score(self) -> int:
        return -self.score

    @property
    def result(self) -> Result:
        """As the tags that draw contracts take it."""
        outcome = self.said.outcome()
        contract, tricks = outcome["contract"], outcome["tricks"]
        if contract is None:
            return Result(kind=Result.Kind.PLAYED, level=0)
        assert contract.declarer is not None  # noqa: S101 - a word has one
        return Result(
            kind=Result.Kind.PLAYED,
            level=contract.level,
            strain=contract.strain.text,
            doubling=contract.doubling,
            declarer=contract.declarer.letter,
            tricks=tricks,
        )


def word_of(said: Said, board: int) -> Word:
    outcome = said.outcome()
    return Word(said, ns_score(outcome["contract"], outcome["tricks"], vulnerability(board)))


@dataclass(frozen=True, slots=True)
class BoardAtTable:
    """A board at the viewer's table: what we said, what they said, what counts."""

    number: int
    state: str  # of the slip; empty when nobody has said anything
    version: int
    ours: Word | None
    theirs: Word | None
    agreed: Word | None

    @property
    def is_settled(self) -> bool:
        return self.state in SETTLED

    @property
    def waits_for_us(self) -> bool:
        """Whether the opponents said something that we have not answered, or that is not what we say."""
        return self.theirs is not None and (
            self.state == Slip.State.DISPUTED or (self.state == Slip.State.ENTERED and self.ours is None)
        )

    @property
    def dealer(self) -> str:
        return dealer(self.number).letter

    @property
    def vulnerable(self) -> Vulnerability:
        return vulnerability(self.number)


@dataclass(frozen=True, slots=True)
class OwnSeat:
    """Where the viewer's pair sits in a round; without a table it sits out."""

    round: Round
    table: int | None
    side: str
    us: Pair
    them: Pair | None
    we_are_missing: bool
    they_are_missing: bool
    called_at: datetime | None
    boards: list[BoardAtTable]
    played: OwnTable | None = None

    @property
    def settled(self) -> int:
        return self.played.finished if self.played else sum(board.is_settled for board in self.boards)

    @property
    def scheduled(self) -> int:
        """How many boards are played."""
        return len(self.played.boards if self.played else self.boards)

    @property
    def has_results(self) -> bool:
        """Whether the bell would find one: agreed, or said by one side alone. Without any, who left was absent."""
        if self.played:
            return self.played.has_results
        return any(board.agreed or board.state == Slip.State.ENTERED for board in self.boards)

    @property
    def to_answer(self) -> list[BoardAtTable]:
        return [board for board in self.boards if board.waits_for_us]


def boards_of_round(swiss: Swiss, number: int) -> range:
    return range((number - 1) * swiss.boards + 1, number * swiss.boards + 1)


def _own_seat(
    swiss: Swiss,
    each: Round,
    seats: Sequence[Seat],
    pairs: Mapping[int, Pair],
    own: int,
    viewer: User | None = None,
) -> OwnSeat | None:
    """One query at a table, two at one of this site."""
    seat = next((seat for seat in seats if seat.contestant_id == own), None)
    if seat is None:
        return None
    opposite = next(
        (other for other in seats if seat.table and other.table == seat.table and other.pk != seat.pk), None
    )
    boards: list[BoardAtTable] = []
    if seat.table and opposite and not swiss.has_tables:
        boards = _boards_at(swiss, each, seat.table, seat.side)
    return OwnSeat(
        round=each,
        table=seat.table,
        side=seat.side,
        us=pairs[own],
        them=pairs[opposite.contestant_id] if opposite else None,
        we_are_missing=seat.missing,
        they_are_missing=opposite is not None and opposite.missing,
        called_at=seat.called_at,
        boards=boards,
        played=own_table(each, viewer) if swiss.has_tables and seat.table and viewer else None,
    )


def _boards_at(swiss: Swiss, each: Round, table: int, side: str) -> list[BoardAtTable]:
    slips = Slip.objects.filter(round=each, table=table).annotate(board=F("field_board__board__number"))
    found = {slip.board: slip for slip in slips}
    return [_board_at(number, found.get(number), side) for number in boards_of_round(swiss, each.number)]


def _board_at(number: int, slip: Slip | None, side: str) -> BoardAtTable:
    if slip is None:
        return BoardAtTable(number, "", 0, None, None, None)

    def word(said: Any) -> Word | None:
        return word_of(Said(**said), number) if said else None

    ours, theirs = (slip.ns_says, slip.ew_says) if side == Seat.Side.NS else (slip.ew_says, slip.ns_says)
    return BoardAtTable(number, slip.state, slip.version, word(ours), word(theirs), word(slip.agreed))


def own_board(swiss: Swiss, user: User, number: int) -> tuple[OwnSeat, BoardAtTable] | None:
    """A board at the viewer's table of the open round; None when the viewer does not play it now. Four queries."""
    open_seats = Seat.objects.filter(round__swiss=swiss, round__state=Round.State.OPEN).exclude(table=None)
    own = open_seats.filter(contestant__entry__entrants__player__user=user).select_related("round").first()
    if own is None:
        return None
    at_table = list(open_seats.filter(table=own.table))
    pairs = pairs_of(swiss.event.field_id)
    seat = _own_seat(swiss, own.round, at_table, pairs, own.contestant_id)
    board = next((board for board in seat.boards if board.number == number), None) if seat else None
    return (seat, board) if seat and board else None


# ---- the page of an event that is announced or being played


@dataclass(frozen=True, slots=True)
class Excerpt(Generic[Row]):
    """Of a long list what this viewer looks for, in runs of rows that stand together; `rows` is how many there are."""

    runs: tuple[Sequence[Row], ...]
    rows: int

    @property
    def is_whole(self) -> bool:
        return sum(map(len, self.runs)) == self.rows


def excerpt(rows: Sequence[Row], is_own: Callable[[Row], bool], *, whole: bool = False) -> Excerpt[Row]:
    """The first rows, or where the own one is further down the very first and those around it; all of a short list."""
    if whole or len(rows) <= ROWS_SHOWN:
        return Excerpt((rows,), len(rows))
    own = next((at for at, row in enumerate(rows) if is_own(row)), 0)
    begin, end = own - ROWS_AROUND, own + ROWS_AROUND + 1
    if end <= ROWS_SHOWN:
        return Excerpt((rows[:ROWS_SHOWN],), len(rows))
    return Excerpt((rows[:FIRST_ROWS], rows[begin:end]), len(rows))


@dataclass(frozen=True, slots=True)
class SeatedTable:
    """A table of a round."""

    number: int
    ns: Pair
    ew: Pair

    @property
    def own(self) -> bool:
        return self.ns.own or self.ew.own


@dataclass(frozen=True, slots=True)
class Live:
    """How an event stands at a moment, for one viewer.

    Attributes:
        at: The moment, by the one clock that counts.
        version: See `version_of`; empty when the event moved while it was read.
        round: The round that is being played.
        coming: The next one.
        closed: How many rounds are over.
        seat: Where the viewer sits.
        entry: The viewer's entry; `order` its number.
        player: Whom the viewer's account plays as.
        refusal: Why the viewer cannot enter, when he cannot; empty when he can.
        desk: The registration desk, while pairs can enter.
        here_from: When pairs can begin to say that they are there, if they are asked.
        cut: For how long the viewer's table waited for each side, when its clock cut a board of the last round.
    """

    swiss: Swiss
    at: datetime
    version: str
    round: Round | None
    coming: Round | None
    closed: int
    pairs: dict[int, Pair]
    taking_part: int
    present: int
    lists: list[RankingList]
    tables: list[SeatedTable]
    out: list[Pair]
    seat: OwnSeat | None
    entry: Entry | None
    player: Player | None
    refusal: str
    desk: Desk | None
    here_from: datetime | None
    cut: TimeUsed | None

    @property
    def phase(self) -> str:
        return str(self.swiss.state)

    @property
    def is_going_on(self) -> bool:
        """Whether it is still to come, or to be played on."""
        return self.swiss.state in LIVE

    @property
    def asks_presence(self) -> bool:
        """Whether it is time to say that one is there, and the viewer's pair has not."""
        return (
            self.entry is not None
            and self.entry.state == Entry.State.PLAYING
            and self.swiss.state == Swiss.State.ANNOUNCED
            and self.here_from is not None
            and self.at >= self.here_from
            and self.entry.present_at is None
        )

    @property
    def can_return(self) -> bool:
        entry = self.entry
        return (
            entry is not None
            and entry.state != Entry.State.PLAYING
            and entry.returns < MOST_RETURNS
            and entry.contestant.status != Contestant.Status.DISQUALIFIED
        )

    @property
    def order(self) -> int | None:
        return self.pairs[self.entry.pk].order if self.entry else None

    @property
    def has_penalties(self) -> bool:
        return any(line.penalty for ranking in self.lists for line in ranking.lines)

    @property
    def is_shown_live(self) -> bool:
        """Whether the standings move during the round."""
        return self.swiss.barometer and self.round is not None


def live_of(swiss: Swiss, user: object) -> Live:
    """A fixed number of queries, however large the event is."""
    viewer = user if isinstance(user, User) else None
    at = now()
    version = version_of(swiss.pk, viewer.pk if viewer else None, at) or ""
    if not version.startswith(f"{frame_of(swiss)}.{swiss.version}."):
        version = ""  # the event has changed since it was read: whoever shows it asks again at once
    rounds = list(Round.objects.filter(swiss=swiss).order_by("number"))
    current = next((each for each in rounds if each.state == Round.State.OPEN), None)
    closed = sum(each.state == Round.State.CLOSED for each in rounds)
    pairs = pairs_of(swiss.event.field_id, viewer=viewer.pk if viewer else None)
    entries = {
        entry.pk: entry
        for entry in Entry.objects.filter(swiss=swiss).order_by("pk").select_related("contestant")
    }
    player = Player.objects.filter(user=viewer).first() if viewer else None
    entrant = Entrant.objects.filter(swiss=swiss, player=player).first() if player else None
    entry = entries.get(entrant.entry_id) if entrant else None
    seats = list(Seat.objects.filter(round=current).order_by("table", "-side")) if current else []
    playing = [each for each in entries.values() if each.state == Entry.State.PLAYING]
    opens = admits(swiss)
    return Live(
        swiss=swiss,
        at=at,
        version=version,
        round=current,
        coming=next((each for each in rounds if each.state == Round.State.PENDING), None),
        closed=closed,
        pairs={pk: pair for pk, pair in pairs.items() if pk in entries},
        taking_part=len(playing),
        present=sum(each.present_at is not None for each in playing),
        lists=ranking_lists(swiss.event, pairs) if rounds else [],
        tables=seated_tables(seats, pairs),
        out=[pairs[seat.contestant_id] for seat in seats if seat.table is None],
        seat=_own_seat(swiss, current, seats, pairs, entry.pk, viewer) if current and entry else None,
        entry=entry,
        player=player,
        refusal=_refusal(swiss, player) if player and entry is None else "",
        desk=_desk_of(swiss, player) if opens else None,
        here_from=swiss.starts_at - timedelta(minutes=swiss.presence_minutes)
        if swiss.presence_minutes
        else None,
        cut=_own_cut(swiss, entry.pk, closed) if entry and not current else None,
    )


def _own_cut(swiss: Swiss, pair: int, number: int) -> TimeUsed | None:
    """What the clock of a pair's table said when it cut a board of a round. Two queries where it is asked for."""
    if swiss.cut != Swiss.Cut.CLOCK or not number:
        return None
    results = Result.objects.filter(field_board__field=swiss.event.field_id, field_board__session=number)
    cut = results.filter(Q(ns=pair) | Q(ew=pair), kind=Result.Kind.CUT).values_list("pk", flat=True)
    return next(iter(time_used(list(cut[:1])).values()), None)


def _refusal(swiss: Swiss, player: Player) -> str:
    try:
        check_admission(swiss, [player])
    except Refused as refused:
        return in_words(refused)
    return ""


def seated_tables(seats: Iterable[Seat], pairs: Mapping[int, Pair]) -> list[SeatedTable]:
    sides: dict[int, dict[str, Pair]] = {}
    for seat in seats:
        if seat.table is not None:
            sides.setdefault(seat.table, {})[seat.side] = pairs[seat.contestant_id]
    return [SeatedTable(number, at["NS"], at["EW"]) for number, at in sorted(sides.items())]


# ---- rounds: who met whom and why, and what each round brought


@dataclass(frozen=True, slots=True)
class Explained:
    """A table of a round, or the pair that sat out, with why it met whom it met."""

    number: int | None
    ns: Pair
    ew: Pair | None
    ns_reason: str
    ew_reason: str
    meetings: int
    ns_score: RoundScore | None
    ew_score: RoundScore | None

    @property
    def own(self) -> bool:
        return self.ns.own or (self.ew is not None and self.ew.own)


@dataclass(frozen=True, slots=True)
class RoundPage:
    """A round with its pairing and what it brought; scores only when it is over, or shown during the round."""

    round: Round
    certificate: Certificate
    tables: list[Explained]
    notes: list[str]
    proof: str
    missed: list[tuple[Pair, RoundScore]]
    boards: range


def rounds_of(swiss: Swiss) -> list[Round]:
    """The rounds that were seated. One query."""
    return list(Round.objects.filter(swiss=swiss).exclude(state=Round.State.PENDING).order_by("number"))


def round_page(swiss: Swiss, each: Round, pairs: Mapping[int, Pair]) -> RoundPage:
    """Two queries."""
    assert each.certificate is not None  # noqa: S101 - a round that was opened has one
    certificate = Certificate.from_json(each.certificate["certificate"])
    by_order = {pair.order: pair for pair in pairs.values()}

    def sentence(reason: Reason | None) -> str:
        return reason_in_words(reason, by_order) if reason else ""

    scores = {score.contestant_id: score for score in RoundScore.objects.filter(round=each)}
    meetings = {table.number: table.meetings for table in certificate.tables}
    seats = list(Seat.objects.filter(round=each).order_by("table", "-side"))
    explained = [
        Explained(
            number=table.number,
            ns=table.ns,
            ew=table.ew,
            ns_reason=sentence(certificate.reasons.get(table.ns.order)),
            ew_reason=sentence(certificate.reasons.get(table.ew.order)),
            meetings=meetings.get(table.number, 0),
            ns_score=scores.get(table.ns.pk),
            ew_score=scores.get(table.ew.pk),
        )
        for table in seated_tables(seats, pairs)
    ]
    for seat in seats:
        if seat.table is None:
            pair = pairs[seat.contestant_id]
            reason = sentence(certificate.reasons.get(pair.order))
            explained.append(Explained(None, pair, None, reason, "", 0, scores.get(pair.pk), None))
    seated = {seat.contestant_id for seat in seats}
    return RoundPage(
        round=each,
        certificate=certificate,
        tables=explained,
        notes=[sentence(note) for note in certificate.notes],
        proof=sentence(PROOFS[certificate.proof]),
        missed=[(pairs[pk], score) for pk, score in scores.items() if pk not in seated and pk in pairs],
        boards=boards_of_round(swiss, each.number),
    )


def reason_in_words(reason: Reason, by_order: Mapping[int, Pair]) -> SafeString:
    """The sentence in the reader's language, with pairs by number and name, for a page."""
    named = {
        place: format_html("{} {}", value, who(by_order[value]))
        if place in PAIR_PARAMS and value in by_order
        else escape(value)
        for place, value in reason.params.items()
    }
    return mark_safe(escape(gettext(reason.message)) % named)  # noqa: S308 - made of safe parts


@dataclass(frozen=True, slots=True)
class CheckedPairing:
    """What a check of the pairing of a round found, in the reader's language."""

    faults: list[str]
    notes: list[str]


def checked_pairing(each: Round, pairs: Mapping[int, Pair]) -> CheckedPairing:
    """What is wrong with the pairing of a round, found without the code that made it, and what one should know of it."""
    by_order = {pair.order: pair for pair in pairs.values()}
    check = check_pairing(each)
    return CheckedPairing(
        faults=[reason_in_words(Reason(fault.message, fault.params), by_order) for fault in check.faults],
        notes=[gettext(note.message) % note.params for note in check.notes],
    )


@dataclass(frozen=True, slots=True)
class Terms:
    """A pair's total as a sum: a score for each round, the penalties, the total."""

    pair: Pair
    place: str
    scores: tuple[RoundScore | None, ...]
    penalty: Fraction
    total: Fraction
    boards: int

    @property
    def adds_up(self) -> bool:
        return sum((score.points for score in self.scores if score), Fraction(0)) - self.penalty == self.total


def terms_of(swiss: Swiss, rounds: Sequence[Round], pairs: dict[int, Pair]) -> list[Terms]:
    """Every pair in the order of the standings, its rounds beside its total. Two queries."""
    by_pair: dict[int, dict[int, RoundScore]] = {}
    for score in RoundScore.objects.filter(round__in=rounds):
        by_pair.setdefault(score.contestant_id, {})[score.round_id] = score
    return [
        Terms(
            pair=line.pair,
            place=line.place,
            scores=tuple(by_pair.get(line.pair.pk, {}).get(each.pk) for each in rounds),
            penalty=Fraction(line.penalty),
            total=line.total,
            boards=line.boards,
        )
        for ranking in ranking_lists(swiss.event, pairs)
        for line in ranking.lines
    ]
