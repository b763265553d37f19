"""LIN, the text of Bridge Base Online: boards with auction and play as commands of two letters, such as `mb|1H|`.

Hands and names stand in the order South, West, North, East. A board begins with its cards (`md`), in a broadcast with
its number and room (`qx|o12|`); the head of a broadcast names event, teams, players and results.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from bridge.auction import DOUBLE, LONGEST_AUCTION, PASS, REDOUBLE, is_over, read_call
from bridge.cards import Card, Deal, Hand, Suit, deck
from bridge.contracts import Contract, possible_tricks, read_contract
from bridge.errors import BridgeError
from bridge.formats.game import (
    CallRecord,
    CardRecord,
    GameRecord,
    TrickRecord,
    contract_of,
    play_warnings,
    tricks_won,
    unlike_number,
    winner,
)
from bridge.formats.records import RecordError, note, refuse
from bridge.formats.text import read_text
from bridge.seats import Seat, Vulnerability
from bridge.seats import dealer as dealer_of

SEATS = (Seat.SOUTH, Seat.WEST, Seat.NORTH, Seat.EAST)
_COMMAND = re.compile(r"\s*+([a-zA-Z]{2})\|([^|]*+)\|")
_FIRST = re.compile(rb"\s*+(?:vg|qx|pn|md|st|rh)\|[^|\r\n]{0,2000}\|")
_VULNERABLE = {
    **dict.fromkeys("oO0-", Vulnerability.NONE),
    **dict.fromkeys("nN", Vulnerability.NS),
    **dict.fromkeys("eE", Vulnerability.EW),
    **dict.fromkeys("bB", Vulnerability.BOTH),
}
_LETTERS = {Vulnerability.NONE: "o", Vulnerability.NS: "n", Vulnerability.EW: "e", Vulnerability.BOTH: "b"}
_CALL = re.compile(r"(pass|p|dbl|d|rdbl|r|xx|x|[1-7](?:nt?|[cdhs]))(!?)", re.ASCII | re.IGNORECASE)
_CARD = re.compile(r"[cdhs](?:10|[2-9tjqka])", re.ASCII | re.IGNORECASE)
_RESULT = re.compile(r"([1-7])([CDHSN])([NESW])(x{0,2})(=|[+-][0-9]{1,2})", re.ASCII | re.IGNORECASE)
_SUITS = re.compile(r"(?:([SHDC])((?:10|[2-9TJQKA])*))", re.ASCII | re.IGNORECASE)
_CALLS = {PASS: "p", DOUBLE: "d", REDOUBLE: "r"}
_ROOMS = {"o": "Open", "c": "Closed"}
_SCORING = {"I": "IMP", "P": "MP", "B": "BAM"}


def looks_like_lin(data: bytes) -> bool:
    """Whether the bytes begin with a command of LIN, such as `pn|…|`."""
    return bool(_FIRST.match(data.removeprefix(b"\xef\xbb\xbf")))


def read(data: bytes, encoding: str | None = None) -> tuple[GameRecord, ...]:
    """All boards of a file.

    Raises:
        RecordError: Cards, calls or claims that cannot be; with the line, and the others behind the first.
    """
    reader = _Reader()
    for line, name, value in _commands(read_text(data, encoding).replace("\r\n", "\n").replace("\r", "\n")):
        try:
            reader.obey(name, value, line)
        except BridgeError as error:
            note(reader.errors, RecordError(error.message, line, **error.params))
    games = tuple(reader.games())
    refuse(reader.errors)
    return games


def _commands(text: str) -> Iterator[tuple[int, str, str]]:
    """Commands with their lines."""
    line, place = 1, 0
    while match := _COMMAND.match(text, place):
        line += text.count("\n", place, match.start(1))
        yield line, match[1].lower(), match[2]
        line += match[2].count("\n")
        place = match.end()
    if rest := text[place:].strip():
        line += text.count("\n", place, text.index(rest[0], place))
        raise RecordError("“%(text)s” is not LIN.", line, text=rest[:40])


@dataclass(slots=True)
class _Said:
    """A call or a card with what was said about it."""

    text: str
    line: int
    mark: str = ""
    notes: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Board:
    """What the commands say of one board."""

    line: int
    number: int | None = None
    room: str | None = None
    players: Sequence[str] = ()
    dealer: Seat | None = None
    deal: Deal | None = None
    begun: bool = False
    vulnerability: Vulnerability | None = None
    calls: list[_Said] = field(default_factory=list)
    cards: list[_Said] = field(default_factory=list)
    claim: int | None = None
    comments: list[str] = field(default_factory=list)


class _Reader:
    """Obeys the commands of a file one after the other."""

    def __init__(self) -> None:
        self.errors: list[RecordError] = []
        self.boards: list[_Board] = []
        self.head: list[
            str
        ] = []  # event, segment, scoring, first and last board, teams with what they carry over
        self.results: list[str] = []  # of the open and the closed room, board by board
        self.players: list[str] = []  # of the open and the closed room
        self.comments: list[str] = []  # wait for the next board

    def obey(self, name: str, value: str, line: int) -> None:
        board = self.boards[-1] if self.boards else None
        match name:
            case "vg":
                self.head = value.split(",")
            case "rs":
                self.results = value.split(",")
            case "pn":
                self.players = value.split(",")
            case "qx":
                self._begin(line)
                _place(self.boards[-1], value)
            case "md":
                if board is None or board.begun:
                    self._begin(line)
                _dealt(self.boards[-1], value, self.players)
            case "nt" if board is None or not board.begun:
                self.comments.append(_laid_out(value))
            case "ah" | "sv" | "mb" | "an" | "pc" | "mc" | "nt" if board:
                _obey(board, name, value, line)

    def _begin(self, line: int) -> None:
        self.boards.append(_Board(line, comments=self.comments))
        self.comments = []

    def games(self) -> Iterator[GameRecord]:
        for board in self.boards:
            if board.begun:
                try:
                    yield _game(board, self.head, self._result(board))
                except BridgeError as error:
                    note(self.errors, RecordError(error.message, board.line, **error.params))

    def _result(self, board: _Board) -> str:
        """What the list of results says of a board; empty when it says nothing."""
        first = self.head[3] if len(self.head) > 3 else ""
        if board.number is None or board.room is None or not re.fullmatch("[0-9]{1,4}", first, re.ASCII):
            return ""
        place = 2 * (board.number - int(first)) + (board.room == "Closed")
        return self.results[place].strip() if 0 <= place < len(self.results) else ""


def _place(board: _Board, value: str) -> None:
    """The room and the number in `o12`."""
    match = re.fullmatch(r"\s*([oc])([0-9]{1,4})\s*", value, re.ASCII | re.IGNORECASE)
    if match and int(match[2]) > 0:
        board.room, board.number = _ROOMS[match[1].lower()], int(match[2])


def _dealt(board: _Board, value: str, players: Sequence[str]) -> None:
    """Dealer and hands in `3SAKQ…,S…,S…,`; the last hand may be left to be counted."""
    board.begun = True
    closed = len(players) > 4 and board.room == "Closed"
    board.players = players[4:8] if closed else players[:4]
    digit, hands = value.strip()[:1], value.strip()[1:].split(",")
    if digit in ("1", "2", "3", "4"):
        board.dealer = SEATS[int(digit) - 1]
    known = {seat: _hand(text) for seat, text in zip(SEATS, hands, strict=False) if text.strip()}
    if len(known) == 3:
        (missing,) = set(Seat) - known.keys()
        known[missing] = Hand(frozenset(deck()) - frozenset().union(*(hand.cards for hand in known.values())))
    if known:
        board.deal = Deal((known.get(Seat(0)), known.get(Seat(1)), known.get(Seat(2)), known.get(Seat(3))))


def _hand(text: str) -> Hand:
    plain = text.strip()
    suits = _SUITS.findall(plain)
    if "".join(suit + ranks for suit, ranks in suits) != plain:
        raise RecordError("“%(text)s” is not a hand.", text=plain[:40])
    by_suit = dict.fromkeys("SHDC", "")
    for suit, ranks in suits:
        by_suit[suit.upper()] += ranks
    return Hand.from_pbn(".".join(by_suit.values()))


def _obey(board: _Board, name: str, value: str, line: int) -> None:
    match name:
        case "ah":
            number = re.search(r"[0-9]{1,4}", value, re.ASCII)
            if board.number is None and number and int(number[0]) > 0:
                board.number = int(number[0])
        case "sv":
            board.vulnerability = _VULNERABLE.get(value.strip()[:1])
        case "mb":
            plain = "".join(value.split())
            calls = _CALL.findall(plain)
            if "".join(call + mark for call, mark in calls) != plain:
                raise RecordError("“%(text)s” is not a call.", text=plain[:40])
            board.calls += [_Said(call, line, mark) for call, mark in calls]
            if len(board.calls) > LONGEST_AUCTION:
                raise RecordError("An auction has 319 calls at the most.")
        case "an" if board.calls:
            board.calls[-1].notes.append(_laid_out(value))
        case "pc":
            plain = "".join(value.split())
            cards = _CARD.findall(plain)
            if "".join(cards) != plain:
                raise RecordError("“%(text)s” is not a card.", text=plain[:40])
            board.cards += [_Said(card, line) for card in cards]
            if len(board.cards) > 52:
                raise RecordError("A board has 13 tricks.")
        case "mc":
            if not re.fullmatch(r"\s*[0-9]{1,4}\s*", value, re.ASCII):
                raise RecordError("“%(text)s” is not a number of tricks.", text=value[:40])
            board.claim = possible_tricks(int(value))
        case "nt" if text := _laid_out(value):
            said = board.cards or board.calls
            (said[-1].comments if said else board.comments).append(text)


def _laid_out(text: str) -> str:
    return " ".join(text.split("\n")).strip()


def _game(board: _Board, head: Sequence[str], result: str) -> GameRecord:
    warnings: list[RecordError] = []
    dealer = board.dealer
    if dealer is None and board.number is not None:
        dealer = dealer_of(board.number)
    elif dealer is None and board.calls:
        note(warnings, RecordError("Calls were made, and who dealt is not known.", board.line))
    auction = _auction(board, dealer)
    called = contract_of(auction)
    listed, tricks = _listed(result)
    contract = called or listed
    if called and listed and called != listed:
        note(
            warnings, RecordError("The list of results names another contract than the auction.", board.line)
        )
    play = _play(board, contract, warnings)
    ours = board.claim if board.claim is not None else tricks_won(play, contract) if contract else None
    if tricks is None:
        tricks = ours
    elif ours is not None and ours != tricks:
        note(
            warnings,
            RecordError(
                "The list of results says %(said)s tricks, the play says %(ours)s; the list is followed.",
                board.line,
                said=tricks,
                ours=ours,
            ),
        )
    for warning in play_warnings(board.deal, play, board.line):
        note(warnings, warning)
    if board.number is not None:
        warnings += unlike_number(board.number, board.dealer, board.vulnerability, board.line, board.line)
    calls = [call.call for call in auction]
    south, west, north, east = (*(name.strip() for name in board.players), *[""] * (4 - len(board.players)))
    title, stage, scoring, _, _, home, _, visitors = (*map(str.strip, head[:8]), *[""] * (8 - len(head[:8])))
    tags = {"Room": board.room, "Stage": stage, "HomeTeam": home, "VisitTeam": visitors}
    return GameRecord(
        board=board.number,
        dealer=dealer,
        vulnerability=board.vulnerability,
        deal=board.deal,
        players=(north, east, south, west),
        contract=contract,
        passed_out=(is_over(calls) and set(calls) == {PASS}) or (not calls and result.upper() == "PASS"),
        tricks=tricks if contract else None,
        auction=auction,
        play=play,
        event=title or None,
        scoring=_SCORING.get(scoring.upper()),
        comments=tuple(board.comments),
        tags=tuple((name, value) for name, value in tags.items() if value),
        line=board.line,
        warnings=tuple(warnings),
    )


def _auction(board: _Board, dealer: Seat | None) -> tuple[CallRecord, ...]:
    if dealer is None:
        return ()
    return tuple(
        CallRecord(
            Seat((dealer + place) % 4),
            read_call(said.text) or PASS,
            "; ".join(said.notes) if said.notes else None,
            said.mark,
            "\n".join(said.comments),
        )
        for place, said in enumerate(board.calls)
    )


def _listed(result: str) -> tuple[Contract | None, int | None]:
    """Contract and tricks in the list of results, such as `4SNx-1`."""
    match = _RESULT.fullmatch(result)
    if match is None:
        return None, None
    level, strain, declarer, doubling, tricks = match.groups()
    return read_contract(f"{level}{strain}{doubling} {declarer} {tricks}")


def _play(board: _Board, contract: Contract | None, warnings: list[RecordError]) -> tuple[TrickRecord, ...]:
    """The tricks; who plays to them follows from the contract."""
    if not board.cards:
        return ()
    if contract is None or contract.declarer is None:
        note(
            warnings,
            RecordError("Cards were played, and in which contract is not known.", board.cards[0].line),
        )
        return ()
    leader = contract.declarer.left
    tricks: list[TrickRecord] = []
    for start in range(0, len(board.cards), 4):
        trick = tuple(
            CardRecord(
                Seat((leader + place) % 4), Card.from_text(said.text), comment="\n".join(said.comments)
            )
            for place, said in enumerate(board.cards[start : start + 4])
        )
        tricks.append(trick)
        leader = winner(trick, contract.strain)
    return tuple(tricks)


def write(games: Iterable[GameRecord]) -> bytes:
    """Games as a file, one a line, in UTF-8. `read` gives back cards, names, calls, explanations, play and claim.

    LIN has no place for event, date and scores of single boards, nor for notes about cards. It leaves the fourth hand
    to be counted: a deal that hides one hand comes back whole.
    """
    return "".join(f"{''.join(_line(game))}\n" for game in games).encode()


def _line(game: GameRecord) -> Iterator[str]:
    dealer = game.dealer
    if dealer is None and game.board is not None:
        dealer = dealer_of(game.board)
    hands = [_hand_text(game.deal[seat] if game.deal else None) for seat in SEATS]
    yield _command("pn", ",".join(game.players[seat].replace(",", " ") for seat in SEATS))
    yield "st||"
    yield _command("md", ("" if dealer is None else str(SEATS.index(dealer) + 1)) + ",".join(hands))
    yield "rh||"
    if game.board is not None:
        yield _command("ah", f"Board {game.board}")
    if game.vulnerability is not None:
        yield _command("sv", _LETTERS[game.vulnerability])
    yield from _comments("\n".join(game.comments))
    for call in game.auction:
        text = _CALLS.get(call.call, call.call.text.replace("NT", "N"))
        yield _command("mb", text + "!" * ("!" in call.mark))
        if call.note is not None:
            yield _command("an", call.note)
        yield from _comments(call.comment)
    for trick in game.play:
        yield "pg||"
        for card in trick:
            yield _command("pc", card.card.text)
            yield from _comments(card.comment)
    yield "pg||"
    if game.contract and game.tricks is not None and tricks_won(game.play, game.contract) != game.tricks:
        yield _command("mc", str(game.tricks))
        yield "pg||"


def _command(name: str, value: str) -> str:
    """A command; the bar that ends it and ends of lines cannot stand in its value."""
    plain = re.sub("[\r\n]+", " ", value).replace("|", "/")
    return f"{name}|{plain}|"


def _comments(text: str) -> Iterator[str]:
    return (_command("nt", line) for line in text.split("\n") if line.strip())


def _hand_text(hand: Hand | None) -> str:
    return "" if hand is None else "".join(suit.letter + hand.suit(suit)[::-1] for suit in reversed(Suit))
