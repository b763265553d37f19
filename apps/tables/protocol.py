"""What a browser and a table say to each other: commands that are read strictly, views as plain data.

A command is at most 4 KiB of JSON and names everything it means; whatever else comes is refused before anybody looks at
it. A view has the same keys for everybody at any time.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID
from weakref import WeakKeyDictionary

from django.urls import reverse
from django.views.decorators.debug import sensitive_variables

from apps.tables.models import Sitting, Table, TableBoard, TableWord
from apps.tables.selectors import (
    Record,
    Snapshot,
    Surroundings,
    onward,
    prompt_of,
    usual_meanings,
    waits_since,
)
from apps.users.models import User
from bridge.contracts import read_contract, result_text
from bridge.errors import BridgeError
from bridge.seats import Seat, Side
from bridge.table import PlayerAction, Viewer, action_from_data, view_to_data

LONGEST = 4096  # bytes of a command, or of a frame
_KEYS = {"command", "expect", "do"}


class Malformed(BridgeError):
    """Something that no page of ours sends."""


@dataclass(frozen=True, slots=True)
class Say:
    """To say something to all, or to the opponents."""

    to: TableWord.To
    text: str


@dataclass(frozen=True, slots=True)
class CallDirector:
    """To call the director."""

    text: str


@dataclass(frozen=True, slots=True)
class TakeBackCall:
    """To need the director no more."""


@dataclass(frozen=True, slots=True)
class Ready:
    """To be ready for the next board."""


@dataclass(frozen=True, slots=True)
class Leave:
    """To leave after the board, or to stay after all."""

    stay: bool


@dataclass(frozen=True, slots=True)
class AskToAct:
    """To ask whoever lets a casual table wait to call or play."""


TableAct = Say | CallDirector | TakeBackCall | Ready | Leave | AskToAct


@dataclass(frozen=True, slots=True)
class Command:
    """What a player wants done: once, whatever happens to the answer.

    Attributes:
        expect: The version of the table as the player saw it.
    """

    id: UUID
    expect: int
    act: PlayerAction | TableAct


def read_command(body: bytes) -> Command:
    """The command in the body of a request.

    Raises:
        BridgeError: It is none, or one that asks for nothing that there is.
    """
    data = _read(body)
    if not isinstance(data, dict) or data.keys() != _KEYS:
        raise _malformed()
    expect = data["expect"]
    if not isinstance(expect, int) or isinstance(expect, bool) or not 0 <= expect < 2**63:
        raise _malformed()
    return Command(_uuid(data["command"]), expect, _act(data["do"]))


def _read(body: bytes) -> object:
    if len(body) > LONGEST:
        raise Malformed("A command has at most %(longest)s bytes.", longest=LONGEST)
    try:
        return json.loads(body.decode("utf-8"), parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise _malformed() from None


def _malformed() -> Malformed:
    return Malformed("This is not a command.")


def _refuse(_constant: str) -> None:
    raise ValueError


def _uuid(value: object) -> UUID:
    if not isinstance(value, str) or len(value) != 36:
        raise _malformed()
    try:
        command = UUID(value)
    except ValueError:
        raise _malformed() from None
    if command.version != 4:  # the table's keeper has those of version 5: nobody gets ahead of it
        raise _malformed()
    return command


def _act(data: object) -> PlayerAction | TableAct:
    if not isinstance(data, dict) or "do" in data or not isinstance(name := data.get("act"), str):
        raise _malformed()
    given = {key: value for key, value in data.items() if key != "act"}
    if name in _TABLE_ACTS:
        return _TABLE_ACTS[name](given)
    action = action_from_data(given | {"do": name})
    assert isinstance(action, PlayerAction)  # noqa: S101 - it reads no acts of the table's keeper
    return action


def _only(given: Mapping[str, object], **kinds: type) -> dict[str, Any]:
    """The fields that were given, when they are among these and of these kinds."""
    if not given.keys() <= kinds.keys() or any(type(given[name]) is not kinds[name] for name in given):
        raise _malformed()
    return dict(given)


def _say(given: Mapping[str, object]) -> Say:
    fields = _only(given, to=str, text=str)
    if fields.keys() != {"to", "text"} or fields["to"] not in TableWord.To.values:
        raise _malformed()
    return Say(TableWord.To(fields["to"]), fields["text"])


def _call_director(given: Mapping[str, object]) -> CallDirector:
    return CallDirector(_only(given, text=str).get("text", ""))


def _take_back_call(given: Mapping[str, object]) -> TakeBackCall:
    _only(given)
    return TakeBackCall()


def _ready(given: Mapping[str, object]) -> Ready:
    _only(given)
    return Ready()


def _leave(given: Mapping[str, object]) -> Leave:
    return Leave(_only(given, stay=bool).get("stay", False))


def _prompt(given: Mapping[str, object]) -> AskToAct:
    _only(given)
    return AskToAct()


_TABLE_ACTS: Mapping[str, Callable[[Mapping[str, object]], TableAct]] = {
    "chat": _say,
    "director": _call_director,
    "take_back_call": _take_back_call,
    "ready": _ready,
    "leave": _leave,
    "prompt": _prompt,
}


SETTINGS = {"twoTapCalls", "twoTapCards", "sounds", "letterKeys", "muted"}
"""What a player may like in one way or another at the table; each is on or off."""


def read_settings(body: bytes) -> dict[str, bool]:
    """What the body of a request says that a player likes.

    Raises:
        Malformed: It says something else.
    """
    data = _read(body)
    if not isinstance(data, dict):
        raise _malformed()
    return _only(data, **dict.fromkeys(SETTINGS, bool))


# ---- views

Data = dict[str, Any]
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


@sensitive_variables()
def view_to_json(snapshot: Snapshot, viewer: Seat | Viewer) -> str:
    return _encode(view_of(snapshot, viewer))


@sensitive_variables()
def view_of(snapshot: Snapshot, viewer: Seat | Viewer) -> Data:
    """A table as this viewer may see it, as plain data."""
    table, view = snapshot.table, snapshot.seen_by(viewer)
    return {
        "v": table.version,
        "now": snapshot.moment.isoformat(),
        "table": _table(table, onward(snapshot, viewer)),
        "me": viewer.letter if isinstance(viewer, Seat) else None,
        "as": "player" if isinstance(viewer, Seat) else viewer.value,
        **_seats_and_boards(snapshot, for_public=viewer is Viewer.PUBLIC),
        "clock": _clock(snapshot, stops=view is not None and view.stop),
        "board": view and view_to_data(view),
        "meanings": usual_meanings(snapshot, view),
        "chat": [_word(word) for word in snapshot.heard_by(viewer)],
        "director": snapshot.around.call
        and {"by": snapshot.around.call.seat or None, "at": snapshot.around.call.at.isoformat()},
        "next": _next(snapshot),
        "prompt": _prompted(snapshot) if isinstance(viewer, Seat) else None,
        "ask": _ask(snapshot, viewer),
    }


_made: WeakKeyDictionary[Surroundings, dict[bool, Data]] = WeakKeyDictionary()
"""Of each surroundings, for as long as they last: what was made of them for the public, and for everybody else. Nothing in
it is in a reader's language."""


def _seats_and_boards(snapshot: Snapshot, *, for_public: bool) -> Data:
    """Who sits where, and the queue of boards. Made once of the same surroundings: addresses take their time."""
    made = _made.setdefault(snapshot.around, {})
    if for_public not in made:
        made[for_public] = {
            "seats": {sitting.seat: _sitting(sitting) for sitting in snapshot.sittings},
            "boards": [_board(snapshot.table, board, for_public=for_public) for board in snapshot.boards],
        }
    return made[for_public]


@sensitive_variables()
def record_view(record: Record, user: User | None) -> dict[str, Any]:
    """A board that is over, in the shape of a view: with all cards, and nothing to be done."""
    board = record.table_board
    return {
        "v": board.table.version,
        "now": record.moment.isoformat(),
        "table": _table(board.table),
        "me": record.seat_of(user),
        "as": "player" if record.seat_of(user) else Viewer.DIRECTOR.value,
        "seats": {
            seat: {
                "name": player.name,
                "country": player.country,
                "robot": player.is_robot,
                "title": "",
                "player": player.get_absolute_url(),
                "present": True,
                "since": None,
                "leaving": False,
            }
            for seat, player in record.players.items()
        },
        "boards": [],
        "clock": {
            "closes_at": None,
            "turn_ends_at": None,
            "stop_ends_at": None,
            "used": {"NS": board.ns_seconds, "EW": board.ew_seconds},
            "running": [],
        },
        "board": view_to_data(record.view),
        "meanings": {},
        "chat": [],
        "director": None,
        "next": None,
        "prompt": None,
        "ask": {
            "chat": [],
            "director": False,
            "take_back_call": False,
            "ready": False,
            "leave": False,
            "leaving": False,
        },
    }


def _table(table: Table, onward: Table | None = None) -> dict[str, Any]:
    return {
        "id": str(table.uuid),
        "state": table.state,
        "why": table.why,
        "purpose": table.purpose,
        "title": table.name,
        "back": table.back,
        "casual": table.casual,
        "deals": reverse("tables:deals", args=[table.uuid]) if table.casual else None,
        "onward": onward and onward.get_absolute_url(),
        "onward_title": onward and onward.name,
    }


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def _sitting(sitting: Sitting) -> dict[str, Any]:
    return {
        "name": sitting.player.name,
        "country": sitting.player.country,
        "robot": sitting.player.is_robot,
        "title": sitting.title,
        "player": sitting.player.get_absolute_url(),
        "present": sitting.gone_at is None and (sitting.last_seen is not None or sitting.player.is_robot),
        "since": _iso(sitting.gone_at or sitting.sat_at),
        "leaving": sitting.leaving,
    }


def _board(table: Table, board: TableBoard, *, for_public: bool) -> dict[str, Any]:
    """A board of the queue, with its result for those who were there, and at a casual table for everybody."""
    result, shown = "", board.state == TableBoard.State.OVER and (table.casual or not for_public)
    hides = board.is_broken_off and not table.casual
    if shown and board.contract:
        contract, _tricks = read_contract(board.contract)
        assert contract  # noqa: S101 - as the database demands
        assert board.tricks is not None  # noqa: S101
        result = f"{board.contract} {board.declarer} {result_text(contract, board.tricks)}"
    return {
        "number": board.board.number,
        "state": board.state,
        "how": board.how if shown else "",
        "result": result,
        "score": board.ns_score if shown else None,
        "used": {"NS": board.ns_seconds, "EW": board.ew_seconds} if shown else None,
        "url": reverse("tables:board", args=[table.uuid, board.position])
        if shown and board.opened_at and not (hides or board.how == TableBoard.How.VOID)
        else None,
    }


def _clock(snapshot: Snapshot, *, stops: bool) -> dict[str, Any]:
    """The times of a table; `stops` for whoever may know that there is a pause after a jump."""
    table, folded = snapshot.table, snapshot.folded
    running = folded.waits_for if folded and table.state == Table.State.PLAYING else frozenset()
    turn_ends_at = None
    if folded and running and table.turn_seconds:
        turn_ends_at = waits_since(folded, snapshot.sittings) + timedelta(seconds=table.turn_seconds)
    return {
        "closes_at": _iso(table.closes_at),
        "turn_ends_at": _iso(turn_ends_at),
        "stop_ends_at": _iso(folded.stop_ends_at) if folded and stops else None,
        "used": {side.value: int(snapshot.used(side).total_seconds()) for side in Side},
        "running": [side.value for side in Side if side in running],
    }


def _next(snapshot: Snapshot) -> dict[str, Any] | None:
    if snapshot.next_at is None:
        return None
    ready = [sitting.seat for sitting in snapshot.sittings if sitting.ready]
    return {"opens_at": snapshot.next_at.isoformat(), "ready": ready}


@sensitive_variables()
def _prompted(snapshot: Snapshot) -> dict[str, Any] | None:
    """Whom the others may ask to act, from when on, and who has asked."""
    playing = snapshot.table.state == Table.State.PLAYING
    folded = snapshot.folded
    prompt = prompt_of(snapshot.table, folded, snapshot.sittings) if folded and playing else None
    if prompt is None:
        return None
    return {
        "seat": prompt.seat.letter,
        "may_at": prompt.may_at.isoformat(),
        "by": prompt.by or None,
        "ends_at": _iso(prompt.ends_at),
    }


def _word(word: TableWord) -> dict[str, Any]:
    return {"id": word.pk, "at": word.at.isoformat(), "seat": word.seat, "to": word.to, "text": word.text}


def _ask(snapshot: Snapshot, viewer: Seat | Viewer) -> dict[str, Any]:
    """What may be asked of the table; what may be done on the board says the board."""
    table, call = snapshot.table, snapshot.around.call
    sittings = {sitting.seat: sitting for sitting in snapshot.sittings}
    mine = sittings.get(viewer.letter) if isinstance(viewer, Seat) and not table.is_over else None
    return {
        "chat": list(TableWord.To.values) if mine else [],
        "director": mine is not None and (call is None or not call.is_of_player),
        "take_back_call": mine is not None and call is not None and call.is_of(mine.seat),
        "ready": mine is not None and snapshot.next_at is not None and not mine.ready,
        "leave": mine is not None and table.casual,
        "leaving": mine is not None and mine.leaving,
    }
