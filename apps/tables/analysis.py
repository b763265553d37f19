"""What could have been made of a board that is over: its auction beside the house system, its play with all cards seen.

Whoever asks has shown that everybody may see the whole board; what is worked out here of its cards goes to nobody else.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.views.decorators.debug import sensitive_variables

from apps.boards.selectors import double_dummy_of_board
from apps.boards.services import ask_what_play_was_worth
from apps.tables.models import LETTERS, TableBoard
from apps.tables.refusals import Refused
from apps.tables.selectors import Record
from apps.tables.signals import publication_asked
from bridge.auction import LONGEST_AUCTION, Auction, read_call, standing_contract
from bridge.contracts import Contract, result_text
from bridge.imps import imps
from bridge.robot.system import choose_call, meanings
from bridge.seats import Seat, Side, Vulnerability
from bridge.table import SeenCall, View

COLUMNS = "WNES"
SUITS = "SHDC"
RANKS = "AKQJT98765432"
SEATS_SOLVED, STRAINS_SOLVED = "NSEW", ("NT", "S", "H", "D", "C")  # as `DoubleDummy.tricks` has them

Holding = tuple[tuple[str, str], ...]
"""Suits from spades down, each with its ranks from the ace down; suits without cards are left out."""
Worth = Mapping[str, int]
"""Tricks of declarer's side, of all 13, by the card that is played next."""


@dataclass(frozen=True, slots=True)
class CallStep:
    """A call, with what was said of it and what the house system says.

    Attributes:
        place: How many calls and cards came before it.
        said: In the caller's words; empty when nothing was said.
        means: What the call means by the house system.
        is_of_person: It was not a robot's, so its caller may have meant something else.
        system_call, system_means: What the house system calls with this hand instead, where the call is the reader's own.
        ends: How it would end if it were the contract, with all cards seen, such as `+1`; empty for other calls than bids.
        makes: Whether that is made.
    """

    place: int
    seat: str
    call: str
    alert: bool
    said: str
    means: str
    is_of_person: bool
    own: bool
    system_call: str
    system_means: str
    ends: str
    makes: bool


@dataclass(frozen=True, slots=True)
class CardStep:
    """A card, with what it was worth.

    Attributes:
        place: How many calls and cards came before it.
        tricks: Of declarer's side, of all 13, after it; None until that is solved.
        lost: Tricks that it gave away.
        kept: Cards that would have kept them; nothing when it gave none away.
    """

    place: int
    trick: int
    seat: str
    card: str
    own: bool
    wins: bool
    tricks: int | None
    lost: int
    kept: Holding


@dataclass(frozen=True, slots=True)
class TrickRow:
    """A trick, its cards in the columns of the page; None where one was not played any more."""

    number: int
    leader: str
    cards: tuple[CardStep | None, ...]
    tricks: int | None


@dataclass(frozen=True, slots=True)
class Analysis:
    """A board with what could have been made of it.

    Attributes:
        slips: The cards that gave tricks away, in the order of the play.
        makeable: The double-dummy table of the deal; None until it is solved.
        allowed: What all cards seen give declarer before the lead; None until it is solved.
        left: The same where the play broke off, by a claim for instance; None when all cards were played.
        solved: Whether it is known what each card was worth.
        waits: Whether the solver is still to answer something.
        against_par: IMPs of the reader's side, or North–South's, against par.
    """

    contract: Contract | None
    calls: tuple[CallStep, ...]
    tricks: tuple[TrickRow, ...]
    makeable: str | None
    allowed: int | None
    left: int | None
    made: int | None
    solved: bool
    waits: bool
    against_par: int | None

    @property
    def cards(self) -> tuple[CardStep, ...]:
        steps = [card for row in self.tricks for card in row.cards if card]
        return tuple(sorted(steps, key=lambda step: step.place))

    @property
    def slips(self) -> tuple[CardStep, ...]:
        return tuple(card for card in self.cards if card.lost)

    @property
    def result(self) -> str:
        """What was played and how it ended, such as `4S N +1`; empty when there is nothing of the kind."""
        if self.contract is None or self.contract.declarer is None or self.made is None:
            return ""
        return f"{self.contract.text} {self.contract.declarer.letter} {result_text(self.contract, self.made)}"

    @property
    def allowed_text(self) -> str:
        return (
            "" if self.contract is None or self.allowed is None else result_text(self.contract, self.allowed)
        )


def may_be_analysed(table_board: TableBoard) -> bool:
    """Whether nobody can play a board any more, so that everybody may know what there was to make: whoever opened the table says."""
    return table_board.table.casual or any(
        shown for _receiver, shown in publication_asked.send(sender=TableBoard, table_board=table_board)
    )


@sensitive_variables()
def analysis_of(record: Record, *, me: str | None) -> Analysis:
    """What could have been made of a board, for a reader who sat there or did not. Whoever asks first has it solved."""
    view, board = record.view, record.table_board.board
    makeable = double_dummy_of_board(board.pk)
    play = _play_of(record, me)
    return Analysis(
        contract=view.contract,
        calls=tuple(_calls(record, makeable, me)),
        tricks=tuple(play.rows()) if play else (),
        makeable=makeable,
        allowed=min(play.worth[0].values()) if play and play.worth else None,  # the lead is the defenders'
        left=play.left if play else None,
        made=view.ending.tricks if view.ending else None,
        solved=bool(play and play.worth),
        waits=makeable is None or board.par_score is None or bool(play and not play.worth),
        against_par=_against_par(record, me),
    )


def _against_par(record: Record, me: str | None) -> int | None:
    score, par = record.table_board.ns_score, record.table_board.board.par_score
    if score is None or par is None:
        return None
    is_east_west = me is not None and Seat.from_letter(me).side is Side.EW
    return imps(par - score if is_east_west else score - par)


# ---- the auction


def _calls(record: Record, makeable: str | None, me: str | None) -> Iterator[CallStep]:
    view = record.view
    robots = {seat for seat, player in record.players.items() if player.is_robot}
    calls = tuple(each.call for each in view.calls)
    meant = meanings(Auction(view.dealer, calls), view.vulnerability)
    for place, (seen, meaning) in enumerate(zip(view.calls, meant, strict=True)):
        ends, makes = _ends(view.calls[: place + 1], makeable)
        hand = view.hands[seen.seat]
        system_call = system_means = ""
        if seen.seat.letter == me and hand:
            chosen = choose_call(Auction(view.dealer, calls[:place]), hand.cards, view.vulnerability)
            if chosen.call != seen.call:
                system_call, system_means = chosen.call.text, chosen.text
        yield CallStep(
            place,
            seen.seat.letter,
            seen.call.text,
            seen.alert,
            seen.text,
            meaning.text,
            seen.seat.letter not in robots,
            seen.seat.letter == me,
            system_call,
            system_means,
            ends,
            makes,
        )


def _ends(calls: Sequence[SeenCall], makeable: str | None) -> tuple[str, bool]:
    """How the bid that was just made would end if it were the contract, and whether it is made."""
    contract = standing_contract((each.seat, each.call) for each in calls)
    if not makeable or not calls[-1].call.is_bid or contract is None or contract.declarer is None:
        return "", False
    seat, strain = SEATS_SOLVED.index(contract.declarer.letter), STRAINS_SOLVED.index(contract.strain.text)
    tricks = int(makeable[5 * seat + strain], 16)
    return result_text(contract, tricks), tricks >= contract.tricks_needed


# ---- the play


@dataclass(frozen=True, slots=True)
class _Play:
    """The play of a board.

    Attributes:
        mine: The hands whose cards the reader chose: declarer's with dummy's, dummy's none.
        worth: What each card could bring, by how many were played before; nothing until it is solved.
    """

    view: View
    contract: Contract
    declarer: Seat
    mine: str
    worth: Sequence[Worth]

    def best(self, worth: Worth, seat: Seat) -> int:
        """What declarer's side takes when this seat chooses best."""
        return max(worth.values()) if seat.side is self.declarer.side else min(worth.values())

    def rows(self) -> Iterator[TrickRow]:
        played = 0
        for number, trick in enumerate(self.view.record or (), 1):
            steps = {}
            winner = trick.winner(self.contract.strain) if trick.is_complete else None
            for place, card in enumerate(trick.cards):
                seat = trick.seat_of(place)
                steps[seat.letter] = self._step(number, seat, card.text, played, wins=seat is winner)
                played += 1
            if steps:
                last = max(steps.values(), key=lambda step: step.place)
                cards = tuple(steps.get(letter) for letter in COLUMNS)
                yield TrickRow(number, trick.leader.letter, cards, last.tricks)

    def _step(self, trick: int, seat: Seat, card: str, played: int, *, wins: bool) -> CardStep:
        worth = self.worth[played] if self.worth else {}
        best = self.best(worth, seat) if worth else 0
        lost = abs(best - worth[card]) if worth else 0
        return CardStep(
            len(self.view.calls) + played,
            trick,
            seat.letter,
            card,
            seat.letter in self.mine,
            wins,
            worth.get(card),
            lost,
            _holding(each for each, tricks in worth.items() if tricks == best) if lost else (),
        )

    @property
    def left(self) -> int | None:
        """What declarer's side takes with all cards seen where the play broke off."""
        seat = self._turn()
        return self.best(self.worth[-1], seat) if self.worth and seat is not None else None

    def _turn(self) -> Seat | None:
        """Whose hand would have played next; None when all cards were played."""
        tricks = [trick for trick in self.view.record or () if trick.cards]
        if not tricks:
            return self.declarer.left
        last = tricks[-1]
        if not last.is_complete:
            return last.seat_of(len(last.cards))
        return last.winner(self.contract.strain) if len(tricks) < 13 else None


@sensitive_variables()
def _play_of(record: Record, me: str | None) -> _Play | None:
    """The play of a board, solved or to be solved soon; None when there was no contract."""
    view = record.view
    if view.contract is None or view.contract.declarer is None:
        return None
    declarer = view.contract.declarer
    solved = ask_what_play_was_worth(
        board_id=record.table_board.board_id,
        strain=view.contract.strain.text,
        declarer=declarer.letter,
        cards=[card.text for trick in view.record or () for card in trick.cards],
    )
    dummy = declarer.partner.letter
    mine = "" if me is None or me == dummy else me + dummy if me == declarer.letter else me
    return _Play(view, view.contract, declarer, mine, solved.tricks or ())


def _holding(cards: Iterable[str]) -> Holding:
    held = set(cards)
    suits = ((suit, "".join(rank for rank in RANKS if suit + rank in held)) for suit in SUITS)
    return tuple((suit, ranks) for suit, ranks in suits if ranks)


# ---- a moment


@dataclass(frozen=True, slots=True)
class Choice:
    """Cards of one suit that are worth the same. `is_played`: the one that was chosen is among them."""

    held: Holding
    tricks: int
    ends: str
    is_best: bool
    is_played: bool


@dataclass(frozen=True, slots=True)
class Moment:
    """The moment before a call or card.

    Attributes:
        step: What was called or played then.
        hands: What each seat still holds.
        calls: Those before.
        trick: The cards that lie there, by seat.
        choices: What each card would bring, the best for whose turn it is first; none until it is solved.
        before, after: The places of the neighbours; None at either end.
    """

    step: CallStep | CardStep
    hands: Mapping[str, Holding]
    calls: tuple[CallStep, ...]
    trick: Mapping[str, str]
    choices: tuple[Choice, ...]
    before: int | None
    after: int | None

    @property
    def is_call(self) -> bool:
        return isinstance(self.step, CallStep)


@sensitive_variables()
def moment_of(analysis: Analysis, record: Record, place: int) -> Moment | None:
    """The moment before a call or card of a board; None when there was none at this place."""
    steps: list[CallStep | CardStep] = [*analysis.calls, *analysis.cards]
    if place >= len(steps):
        return None
    step = steps[place]
    before = [each for each in analysis.cards if each.place < place]
    gone = {each.card for each in before}
    is_card = isinstance(step, CardStep)
    return Moment(
        step,
        {
            seat.letter: _holding(_cards_of(hand.pbn) - gone)
            for seat, hand in zip(Seat, record.view.hands, strict=True)
            if hand
        },
        tuple(each for each in analysis.calls if each.place < place),
        {each.seat: each.card for each in before if isinstance(step, CardStep) and each.trick == step.trick},
        tuple(_choices(record, step)) if is_card else (),
        place - 1 if place else None,
        place + 1 if place + 1 < len(steps) else None,
    )


def _cards_of(pbn: str) -> set[str]:
    return {suit + rank for suit, ranks in zip(SUITS, pbn.split("."), strict=True) for rank in ranks}


def _choices(record: Record, step: CallStep | CardStep) -> list[Choice]:
    """The cards that could be played, those of one suit that are worth the same together, the best first."""
    play = _play_of(record, None)
    if play is None or not play.worth or not isinstance(step, CardStep):
        return []
    worth = play.worth[step.place - len(record.view.calls)]
    best = play.best(worth, Seat.from_letter(step.seat))
    alike: dict[tuple[str, int], list[str]] = {}
    for card, tricks in worth.items():
        alike.setdefault((card[0], tricks), []).append(card)
    choices = [
        Choice(
            _holding(cards), tricks, result_text(play.contract, tricks), tricks == best, step.card in cards
        )
        for (_suit, tricks), cards in alike.items()
    ]
    return sorted(choices, key=lambda choice: (abs(choice.tricks - best), SUITS.index(choice.held[0][0])))


# ---- the system alone


def last_meaning(*, dealer: str, vulnerable: str, calls: Collection[str]) -> str:
    """What the last of these calls means by the house system, whoever holds what.

    Raises:
        Refused: It is no auction.
        IllegalCall: The Laws do not allow one of the calls.
    """
    made = [call for call in map(read_call, calls) if call]
    is_known = dealer in LETTERS and vulnerable in {each.value for each in Vulnerability}
    if not is_known or not made or len(made) != len(calls) or len(made) > LONGEST_AUCTION:
        raise Refused("This is no auction.")
    auction = Auction(Seat.from_letter(dealer))
    for call in made:
        auction = auction.after(call)
    return meanings(auction, Vulnerability(vulnerable))[-1].text
