"""What can be done at a table, and the one way in which the log writes it.

Players act from their seats. `Silence`, `Rule`, `PlayOn`, `TakeBack`, `CutBoard` and `Abandon` are acts of whoever
keeps the table: the clock, a director, the server. An action carries no time and no seat; both stand beside it.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any
from unicodedata import category

from bridge.auction import LONGEST_AUCTION, Call, read_call
from bridge.awards import Ruling
from bridge.cards import Card
from bridge.errors import BridgeError
from bridge.legible import legible
from bridge.seats import Side

LONGEST_EXPLANATION = 200
LONGEST_LINE = 500
_UNSEEN = ("Cc", "Cs", "Co", "Cn", "Zl", "Zp")


@dataclass(frozen=True, slots=True)
class MakeCall:
    """A call. With `alert`, or with words alone as an announcement, the opponents read what it means; partner does not."""

    call: Call
    alert: bool = False
    explanation: str = ""

    def __post_init__(self) -> None:
        _trim(self, "explanation", LONGEST_EXPLANATION)


@dataclass(frozen=True, slots=True)
class Explain:
    """What an own earlier call means: an answer, or words that were forgotten. `place` is the call's, from 0.

    Whether the call was alerted stays as it was: otherwise it would show the asker's partner that somebody asked.
    """

    place: int
    explanation: str

    def __post_init__(self) -> None:
        _trim(self, "explanation", LONGEST_EXPLANATION)


@dataclass(frozen=True, slots=True)
class AskAbout:
    """A question about an opponent's call. `place` is the call's, from 0."""

    place: int


@dataclass(frozen=True, slots=True)
class PlayCard:
    """A card of the hand whose turn it is; declarer plays dummy's."""

    card: Card


@dataclass(frozen=True, slots=True)
class Claim:
    """The claimer's side takes so many of the tricks that are not complete; 0 concedes all. `line` says how."""

    tricks: int
    line: str = ""

    def __post_init__(self) -> None:
        _trim(self, "line", LONGEST_LINE)


@dataclass(frozen=True, slots=True)
class AnswerClaim:
    """Accept or refuse a claim; from the partner of a defender who concedes tricks, let it stand or object."""

    accept: bool


@dataclass(frozen=True, slots=True)
class WithdrawClaim:
    """Take back a claim that nobody refused yet."""


@dataclass(frozen=True, slots=True)
class AskUndo:
    """Ask to take back one's own last call or card."""


@dataclass(frozen=True, slots=True)
class AnswerUndo:
    """Grant an undo or refuse it."""

    accept: bool


@dataclass(frozen=True, slots=True)
class WithdrawUndo:
    """Let the call or card stand after all."""


@dataclass(frozen=True, slots=True)
class Silence:
    """The time to answer a claim or an undo has run out."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A director's ruling, which ends the board: tricks of declarer's side, an adjusted score, or both."""

    tricks: int | None = None
    ruling: Ruling | None = None


@dataclass(frozen=True, slots=True)
class PlayOn:
    """A director lets play go on after a refused claim."""


@dataclass(frozen=True, slots=True)
class TakeBack:
    """A director takes back calls or cards: so many of them, from the first on, stay."""

    calls: int
    cards: int = 0


@dataclass(frozen=True, slots=True)
class CutBoard:
    """The bell: what is not finished never will be."""


@dataclass(frozen=True, slots=True)
class Abandon:
    """The board ends because a side is gone; None when both are, or the server failed."""

    by: Side | None = None


PlayerAction = (
    MakeCall
    | Explain
    | AskAbout
    | PlayCard
    | Claim
    | AnswerClaim
    | WithdrawClaim
    | AskUndo
    | AnswerUndo
    | WithdrawUndo
)
KeeperAction = Silence | Rule | PlayOn | TakeBack | CutBoard | Abandon
Action = PlayerAction | KeeperAction

NAMES: Mapping[type[Action], str] = {
    MakeCall: "call",
    Explain: "explain",
    AskAbout: "ask",
    PlayCard: "play",
    Claim: "claim",
    AnswerClaim: "answer_claim",
    WithdrawClaim: "withdraw_claim",
    AskUndo: "ask_undo",
    AnswerUndo: "answer_undo",
    WithdrawUndo: "withdraw_undo",
    Silence: "silence",
    Rule: "rule",
    PlayOn: "play_on",
    TakeBack: "take_back",
    CutBoard: "cut",
    Abandon: "abandon",
}
"""What the log and the browser call each action."""
_CLASSES = {name: action for action, name in NAMES.items()}


def action_to_data(action: Action) -> dict[str, Any]:
    """The action as plain data: its name under `do`, then the fields that are not at their default.

    >>> action_to_data(PlayCard(Card.from_text("SA")))
    {'do': 'play', 'card': 'SA'}
    """
    data: dict[str, Any] = {"do": NAMES[type(action)]}
    for field in fields(action):
        if (value := getattr(action, field.name)) != field.default:
            data[field.name] = _plain(value)
    return data


def action_from_data(data: object, *, keeper: bool = False) -> Action:
    """The action that `action_to_data` wrote, or that a browser sent. Fields with a default may be left out.

    Args:
        data: Whatever came; nothing about it is taken for granted.
        keeper: Whether the acts of the table's keeper are read too, as they stand in the log. From a player they are
            as unknown as anything else.

    Raises:
        BridgeError: It is not an action.

    >>> action_from_data({"do": "call", "call": "1n", "alert": True})
    MakeCall(call=Call(text='1NT', level=1, strain=<Strain.NOTRUMP: 4>), alert=True, explanation='')
    """
    if not isinstance(data, dict):
        raise _unknown()
    name = data.get("do")
    action = _CLASSES.get(name) if isinstance(name, str) else None
    if action is None or not (keeper or issubclass(action, PlayerAction)):
        raise _unknown()
    known = {field.name: field.default for field in fields(action)}
    if not data.keys() <= {"do", *known}:
        raise _unknown()
    values: dict[str, Any] = {}
    for name, default in known.items():
        if name in data:
            values[name] = _READERS[name](data[name])
        elif default is MISSING:
            raise _unknown()
    return action(**values)


def _unknown() -> BridgeError:
    return BridgeError("This is not an action at a table.")


def _plain(value: object) -> object:
    match value:
        case Call() | Card():
            return value.text
        case Ruling():
            return value.to_json()
        case Side():
            return value.value
    return value


def _trim(action: "MakeCall | Explain | Claim", field: str, longest: int) -> None:
    """Words begin and end with something that is seen; blanks alone are none."""
    words = getattr(action, field).strip()
    check_text(words, longest)
    object.__setattr__(action, field, words)


def check_text(text: str, longest: int) -> None:
    """Refuse what is too long, and signs that nobody sees or that turn the text of others round."""
    if len(text) > longest:
        raise BridgeError("A text has %(longest)s characters at the most.", longest=longest)
    unseen = bool(text.strip()) and legible(text) != text
    if unseen or any(category(sign) in _UNSEEN for sign in text):
        raise BridgeError("A text is one line without control characters.")


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise _unknown()
    return value


def _number(value: object) -> int:
    """Of a call, a card or tricks: there are never more of anything than calls in the longest auction."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= LONGEST_AUCTION:
        raise _unknown()
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise _unknown()
    return value


def _call(value: object) -> Call:
    call = read_call(value) if isinstance(value, str) else None
    if call is None:
        raise _unknown()
    return call


def _card(value: object) -> Card:
    if not isinstance(value, str) or len(value) > 3:
        raise _unknown()
    return Card.from_text(value)


def _side(value: object) -> Side:
    if not isinstance(value, str) or value not in set(Side):
        raise _unknown()
    return Side(value)


def _ruling(value: object) -> Ruling:
    if not isinstance(value, dict):
        raise _unknown()
    return Ruling.from_json(value)


_READERS: Mapping[str, Callable[[object], object]] = {
    "call": _call,
    "alert": _flag,
    "explanation": _text,
    "place": _number,
    "card": _card,
    "tricks": _number,
    "line": _text,
    "accept": _flag,
    "ruling": _ruling,
    "calls": _number,
    "cards": _number,
    "by": _side,
}
"""How each field is read; a name means the same wherever it stands."""
