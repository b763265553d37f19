"""Results at real tables: one side enters what happened, the other confirms it, and the bell ends it.

Each side has its own word. Two equal words are an agreement, and it becomes the result; later words correct it once
they are equal again. At the bell a word that nobody contradicted counts; where two words differ, the board is cut until
the director decides.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import F
from django.db.models.functions import Coalesce

from apps.clock.services import record
from apps.clock.time import now
from apps.pairs.models import Entrant, Round, Seat, Slip, SlipEntry, Swiss
from apps.pairs.selectors.decisions import DECIDED
from apps.pairs.selectors.oversight import state_of
from apps.pairs.services.locks import lock_event, touch
from apps.pairs.services.notices import lately, settle, tell, tell_directors
from apps.pairs.services.registration import Refused
from apps.pairs.services.tables import take_finished
from apps.results.models import FieldBoard, Result, ResultChange
from apps.results.selectors import said_of
from apps.results.services import Play, change_result, cut_unfinished, record_results
from apps.users.models import Player, User
from bridge.cards import Card
from bridge.comparison import Method
from bridge.contracts import read_contract, result_text
from bridge.errors import ImpossibleResult
from bridge.round_scores import Cut, cut_ruling


@dataclass(frozen=True, slots=True)
class Said:
    """What somebody says that happened on a board: a contract with declarer and result, and the opening lead."""

    text: str
    lead: str = ""

    @classmethod
    def read(cls, text: str, lead: str = "") -> "Said":
        """What a person wrote, in the one form in which two words can be compared.

        Raises:
            BridgeError: It is not a contract with declarer and result, or the lead is no card.
        """
        contract, tricks = read_contract(text)
        if contract is None:
            return cls("Pass")
        if contract.declarer is None or tricks is None:
            raise ImpossibleResult("Say who played %(contract)s and how it ended.", contract=contract.text)
        card = Card.from_text(lead).text if lead.strip() else ""
        return cls(f"{contract.text} {contract.declarer.letter} {result_text(contract, tricks)}", card)

    def outcome(self) -> dict[str, Any]:
        """As `Play` and `change_result` take it."""
        contract, tricks = read_contract(self.text)
        return {"contract": contract, "tricks": tricks, "passed_out": contract is None, "lead": self.lead}

    def to_json(self) -> dict[str, str]:
        return {"text": self.text, "lead": self.lead}


@dataclass(frozen=True, slots=True)
class AtTable:
    """Where a player sits in the open round."""

    round: Round
    table: int
    side: str
    ns: int
    ew: int


def seat_of(*, swiss: Swiss, player: Player) -> AtTable | None:
    """The seat of a player in the round that is being played; None when there is none, or the pair sits out."""
    seat = (
        Seat.objects.filter(
            round__swiss=swiss, round__state=Round.State.OPEN, contestant__entry__entrants__player=player
        )
        .exclude(table=None)
        .select_related("round")
        .first()
    )
    if seat is None or seat.table is None:
        return None
    pairs = dict(Seat.objects.filter(round=seat.round, table=seat.table).values_list("side", "contestant_id"))
    return AtTable(seat.round, seat.table, seat.side, pairs["NS"], pairs["EW"])


@transaction.atomic
def say_result(*, event_id: int, board: int, said: Said, by: User, player: Player, command: UUID) -> Slip:
    """A side says what happened on a board of the open round. One command has one effect, however often it comes.

    Raises:
        Refused: The round is over, the player does not sit at a table, or the board is not of this round.
    """
    swiss = Swiss.objects.select_related("event__field").get(pk=event_id)
    if done := _done_before(swiss, board, by, command):
        return done
    at = _held_seat(swiss, player)
    slip = _slip(at, board)
    if SlipEntry.objects.filter(slip=slip, command=command).exists():
        return slip
    if slip.state == Slip.State.RULED:
        raise Refused("The director decided board %(board)s.", board=board)
    word, before = said.to_json(), slip.state
    if at.side == "NS":
        slip.ns_says, other = word, slip.ew_says
    else:
        slip.ew_says, other = word, slip.ns_says
    if other is None:
        slip.state = Slip.State.ENTERED
    elif other["text"] == said.text:
        slip.state = Slip.State.CONFIRMED
        slip.agreed = said.to_json() if said.lead else other
        slip.ns_says = slip.ew_says = slip.agreed
    else:
        slip.state = Slip.State.DISPUTED
    _save(slip, by=by, side=at.side, said=word, command=command)
    _settle(swiss, slip)
    if slip.state == Slip.State.CONFIRMED:
        write_results(swiss, [slip], by=by, reason=ResultChange.AGREED)
        return slip
    opponents = Entrant.objects.filter(entry=at.ew if at.side == "NS" else at.ns)
    players = list(opponents.values_list("player_id", flat=True))
    if slip.state == Slip.State.ENTERED:
        tell(swiss, "to confirm", players, key=f"{slip.pk}", board=board)
    elif before != Slip.State.DISPUTED:
        key = lately(f"{slip.pk}")
        tell(swiss, "disputed", players, key=key, board=board)
        tell_directors(swiss, "to decide", key=key, board=board, table=slip.table)
    return slip


@transaction.atomic
def confirm_result(
    *, event_id: int, board: int, version: int, by: User, player: Player, command: UUID
) -> Slip:
    """A side agrees to what the other said, as it read it.

    Raises:
        Refused: The other side has said something else meanwhile, or nothing.
    """
    swiss = Swiss.objects.select_related("event__field").get(pk=event_id)
    if done := _done_before(swiss, board, by, command):
        return done
    at = _held_seat(swiss, player)
    slip = _slip(at, board)
    if SlipEntry.objects.filter(slip=slip, command=command).exists():
        return slip
    other = slip.ew_says if at.side == "NS" else slip.ns_says
    if slip.version != version or other is None:
        raise Refused("Board %(board)s has changed meanwhile. Please look again.", board=board)
    return say_result(
        event_id=event_id, board=board, said=Said(**other), by=by, player=player, command=command
    )


@transaction.atomic
def decide_result(
    *,
    event_id: int,
    number: int,
    table: int,
    board: int,
    said: Said,
    by: User,
    reason: str,
    command: UUID,
    seen: str | None = None,
) -> Slip:
    """The director says what counts on a board of a round, whatever the sides said or a table of this site played.

    To say the same again changes nothing.

    Raises:
        Refused: There is no such table, what the director read is not so any more (`seen`, as `state_of` has it), or the
            event is final or was cancelled.
    """
    swiss = lock_event(event_id)
    # Who takes results from the tables of this site holds the round shared: first one of the two records, then the other.
    each = Round.objects.select_for_update(of=["self"], no_key=True).get(swiss=swiss, number=number)
    pairs = dict(Seat.objects.filter(round=each, table=table).values_list("side", "contestant_id"))
    if len(pairs) != 2:
        raise Refused("There is no table %(table)s in round %(round)s.", table=table, round=number)
    slip = _slip(AtTable(each, table, "", pairs["NS"], pairs["EW"]), board)
    if SlipEntry.objects.filter(slip=slip, command=command).exists():
        return slip
    if swiss.has_tables:
        take_finished(swiss, each)  # what was played there is a result that is changed, with a reason
    result = Result.objects.filter(field_board=slip.field_board, ns=slip.ns, ew=slip.ew).first()
    if seen is not None and seen != state_of(slip, result):
        raise Refused("Board %(board)s has changed meanwhile. Please look again.", board=board)
    refuse_when_settled(swiss)
    if slip.state == Slip.State.RULED and slip.agreed == said.to_json():
        return slip
    before = {"said": {"text": said_of(result)}} if result else {}
    slip.state, slip.agreed = Slip.State.RULED, said.to_json()
    _save(slip, by=by, side="", said=slip.agreed, command=command)
    _settle(swiss, slip)
    write_results(swiss, [slip], by=by, reason=reason)
    record(
        actor=by,
        action=DECIDED,
        subject_kind="pairs.event",
        subject_id=event_id,
        before=before,
        after={"round": number, "table": table, "board": board, "said": slip.agreed},
        reason=reason,
    )
    players = Entrant.objects.filter(entry__in=pairs.values()).values_list("player_id", flat=True)
    tell(swiss, "ruled", list(players), key=f"{slip.pk}/{slip.version}", board=board, reason=reason)
    touch(swiss)
    return slip


def refuse_when_settled(swiss: Swiss) -> None:
    """What is final stays, until it is opened again for everybody to see; what was cancelled counts for nothing.

    Raises:
        Refused: The event is final, or was cancelled.
    """
    if swiss.state == Swiss.State.OFFICIAL:
        raise Refused(
            "The result of %(event)s is final. Take that back on the director's page first, with a reason.",
            event=swiss.event.title,
        )
    if swiss.state == Swiss.State.CANCELLED:
        raise Refused("%(event)s was cancelled: nothing of it counts.", event=swiss.event.title)


def _held_seat(swiss: Swiss, player: Player) -> AtTable:
    """The seat of a player in the open round, read when neither the bell nor a new seating can come between.

    Raises:
        Refused: No round is open, the player sits at no table, or what happens there is not entered.
    """
    if swiss.has_tables:
        raise Refused("%(event)s is played at its tables: nothing is entered.", event=swiss.event.title)
    each = Round.objects.filter(swiss=swiss, state=Round.State.OPEN).first()
    at = seat_of(swiss=swiss, player=player) if each and _hold_open(each) else None
    if at is None or at.round != each:
        raise Refused("No round is being played in which you sit at a table.")
    return at


def _done_before(swiss: Swiss, board: int, by: User, command: UUID) -> Slip | None:
    """The slip of a board on which somebody did this before, whatever has become of the round since."""
    of_board = SlipEntry.objects.filter(slip__round__swiss=swiss, slip__field_board__board__number=board)
    entries = of_board.filter(by=by, command=command).select_related("slip")
    return next((entry.slip for entry in entries), None)


def _hold_open(each: Round) -> bool:
    """Whether the round is open, and keep it so until the transaction ends: the bell waits for those who write."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT state FROM pairs_round WHERE id = %s FOR SHARE", [each.pk])
        row = cursor.fetchone()
    return row is not None and row[0] == Round.State.OPEN


def _slip(at: AtTable, board: int) -> Slip:
    """The slip of a board at a table, locked; made when there is none.

    Raises:
        Refused: The board is not of this round.
    """
    field_board = (
        FieldBoard.objects.select_related("board")
        .filter(field__event__swiss=at.round.swiss_id, session=at.round.number, board__number=board)
        .first()
    )
    if field_board is None:
        raise Refused("Board %(board)s is not played in round %(round)s.", board=board, round=at.round.number)
    slip = Slip(
        round=at.round,
        table=at.table,
        field_board=field_board,
        ns_id=at.ns,
        ew_id=at.ew,
        state=Slip.State.ENTERED,
    )
    Slip.objects.bulk_create([slip], ignore_conflicts=True)
    slips = Slip.objects.select_for_update(of=["self"], no_key=True).select_related("field_board__board")
    return slips.get(round=at.round, table=at.table, field_board=field_board)


def _save(slip: Slip, *, by: User | None, side: str, said: dict[str, str] | None, command: UUID) -> None:
    slip.version += 1
    slip.save()
    SlipEntry.objects.create(
        slip=slip, command=command, at=now(), by=by, side=side, act=slip.state, said=said
    )


def _settle(swiss: Swiss, slip: Slip) -> None:
    """Nobody is asked any more to confirm what both sides have spoken about, nor to wait for what is decided."""
    if slip.state == Slip.State.ENTERED:
        return
    matters = [f"to confirm {slip.pk}"]
    if slip.state != Slip.State.DISPUTED:
        matters += [f"disputed {slip.pk}", f"to decide {slip.pk}"]
    players = Entrant.objects.filter(entry__in=[slip.ns_id, slip.ew_id]).values_list("player_id", flat=True)
    settle(swiss, *matters, players=players)


def write_results(swiss: Swiss, slips: Iterable[Slip], *, by: User | None, reason: str) -> None:
    """Bring the results of these boards to what was agreed; however many are new, they are recorded at once."""
    agreed = {
        (slip.field_board_id, slip.ns_id, slip.ew_id): (slip, Said(**slip.agreed).outcome())
        for slip in slips
        if slip.agreed
    }
    boards = {board for board, _, _ in agreed}
    there = Result.objects.filter(field_board__in=boards, ns__in={ns for _, ns, _ in agreed})
    for result in there:
        place = (result.field_board_id, result.ns_id, result.ew_id)
        if place in agreed:
            _, outcome = agreed.pop(place)
            change_result(result_id=result.pk, by=by, reason=reason, **outcome)
    if not agreed:
        return
    players: dict[int, list[Player]] = {}
    pairs = {pair for _, *both in agreed for pair in both}
    for entrant in Entrant.objects.filter(entry__in=pairs).select_related("player").order_by("pk"):
        players.setdefault(entrant.entry_id, []).append(entrant.player)
    plays = []
    for slip, outcome in agreed.values():
        (north, south), (east, west) = players[slip.ns_id], players[slip.ew_id]
        plays.append(
            Play(
                field_board=slip.field_board,
                ns=slip.ns,
                ew=slip.ew,
                round=slip.round.number,
                table=str(slip.table),
                seats=(north, east, south, west),
                **outcome,
            )
        )
    record_results(field=swiss.event.field, plays=plays, source=Result.Source.ENTERED)


def cut_boards(swiss: Swiss, each: Round) -> None:
    """The bell: a word that nobody contradicted counts, and what is not finished is cut. The caller holds the round.

    A word about a board against a pair that was not there counts for nothing: that board was not played.
    """
    tables: dict[int, dict[str, int]] = {}
    missing: dict[int, int] = {}
    seats = Seat.objects.filter(round=each).exclude(table=None)
    for table, side, pair, gone in seats.values_list("table", "side", "contestant_id", "missing"):
        tables.setdefault(table or 0, {})[side] = pair
        if gone:
            missing[pair] = table or 0
    if missing:
        there = _were_there(swiss, each) & missing.keys()
        seats.filter(contestant__in=there).update(missing=False)
        missing = {pair: table for pair, table in missing.items() if pair not in there}
    empty = set(missing.values())
    alone = Slip.objects.filter(round=each, state=Slip.State.ENTERED, agreed__isnull=True)
    alone = alone.exclude(table__in=empty)
    uncontradicted = list(alone.select_related("field_board__board", "ns", "ew", "round"))
    if uncontradicted:
        for slip in uncontradicted:
            slip.agreed = slip.ns_says or slip.ew_says
        alone.update(
            state=Slip.State.UNCONFIRMED, agreed=Coalesce("ns_says", "ew_says"), version=F("version") + 1
        )
        write_results(swiss, uncontradicted, by=None, reason=ResultChange.UNCONTRADICTED)
    cut_unfinished(
        field=swiss.event.field,
        session=each.number,
        tables=[(str(table), pair["NS"], pair["EW"]) for table, pair in tables.items() if table not in empty],
        ruling=cut_ruling(Method(swiss.event.field.method), Cut(swiss.cut)),
    )


def _were_there(swiss: Swiss, each: Round) -> set[int]:
    """The pairs that have a result in a round, or said anything on one of its slips. Two queries."""
    results = Result.objects.filter(field_board__field=swiss.event.field_id, field_board__session=each.number)
    there = {pair for both in results.values_list("ns", "ew") for pair in both}
    slips = Slip.objects.filter(round=each).values_list("ns", "ew", "ns_says", "ew_says")
    for ns, ew, ns_says, ew_says in slips:
        there |= {pair for pair, said in ((ns, ns_says), (ew, ew_says)) if said}
    return there
