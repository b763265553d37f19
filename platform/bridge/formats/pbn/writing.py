"""Games and events as PBN 2.1 in export format, in UTF-8: nothing is written that the record does not say."""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import count

from bridge.auction import is_over
from bridge.cards import Deal
from bridge.comparison import Method
from bridge.formats.game import CallRecord, CardRecord, GameRecord
from bridge.formats.pbn.events import scoring_of
from bridge.formats.pbn.facts import SEATS_OF_TRICKS, STRAINS_OF_TRICKS
from bridge.formats.pbn.games import PLAYERS
from bridge.formats.pbn.tables import ROUND_SCORES, TOTAL_VPS, award_text
from bridge.formats.records import (
    BoardRecord,
    EventRecord,
    PairRecord,
    PublishedStanding,
    RowRecord,
    SessionRecord,
)
from bridge.seats import Seat, Vulnerability

_HEAD = "% PBN 2.1\n% EXPORT\n%Content-type: text/x-pbn; charset=UTF-8\n%Creator: Datum\n"
_VULNERABLE = {
    Vulnerability.NONE: "None",
    Vulnerability.NS: "NS",
    Vulnerability.EW: "EW",
    Vulnerability.BOTH: "All",
}
_COLUMNS_OF_SEATS = (Seat.WEST, Seat.NORTH, Seat.EAST, Seat.SOUTH)
_NEEDS_NO_QUOTES = re.compile(r"[A-Za-z0-9_.+*=/-]+", re.ASCII)
_UNITS = {
    Method.MP: "MP",
    None: "Points",
}  # what stands before _NS in a score table; IMP for the other methods
_TOTALS = {Method.MP: "TotalMP", None: "TotalScore"}
Columns = list[tuple[str, Callable[[RowRecord], str]]]


def write(games: Iterable[GameRecord]) -> bytes:
    """Games as a file, one record each, in their order. `read_games` gives them back."""
    return _file(_game(game) for game in games)


def write_event(event: EventRecord) -> bytes:
    """A pairs event as a file, one record a board; the first names the pairs and their standings. `read` gives it back.

    PBN has no place for players' numbers, the club and the venue, a published datum, and standings of one session.
    """
    columns = _columns([row for _, board in event.boards() for row in board.rows], event.method)
    records = [_board(event, session, board, columns) for session, board in event.boards()]
    if records and event.pairs:
        records[0] += _totals(event)
    return _file(records)


def _file(records: Iterable[list[str]]) -> bytes:
    return (_HEAD + "\n".join("\n".join(lines) + "\n" for lines in records)).encode()


def _tag(name: str, value: str) -> str:
    """A tag pair. A value that would stand for an earlier one gets a blank in front, which no reader keeps."""
    plain = re.sub(r"[\r\n]+", " ", value).replace("\\", "\\\\").replace('"', '\\"')
    return f'[{name} "{" " * plain.startswith("#")}{plain}"]'


def _table(name: str, head: str, rows: Iterable[Sequence[str]]) -> list[str]:
    cells = [[_cell(text) for text in row] for row in rows]
    return [f'[{name} "{head}"]', *(" ".join(row).rstrip() for row in cells)]


def _cell(text: str) -> str:
    if _NEEDS_NO_QUOTES.fullmatch(text):
        return text
    plain = re.sub(r"[\r\n]+", " ", text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{plain}"'


def _aligned(name: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table whose columns are as wide as their longest cell, which its head says."""
    cells = [[_cell(text) for text in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    head = ";".join(f"{column}\\{width}L" for column, width in zip(columns, widths, strict=True))
    lines = (" ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in cells)
    return [f'[{name} "{head}"]', *(line.rstrip() for line in lines)]


def _deal(deal: Deal | None, dealer: Seat | None) -> str:
    """The hands, the dealer's first."""
    if deal is None:
        return "?"
    first = Seat.NORTH if dealer is None else dealer
    hands = (deal[Seat((first + place) % 4)] for place in range(4))
    return f"{first.letter}:" + " ".join("-" if hand is None else hand.pbn for hand in hands)


def _double_dummy(digits: str | None) -> list[str]:
    """The makeable tricks, once in short and once as a table."""
    if digits is None:
        return []
    places = [(seat.letter, strain.text) for seat in SEATS_OF_TRICKS for strain in STRAINS_OF_TRICKS]
    rows = [
        f"{seat} {strain:>2} {int(digit, 16):>2}"
        for (seat, strain), digit in zip(places, digits, strict=True)
    ]
    head = r"Declarer;Denomination\2R;Result\2R"
    return [_tag("DoubleDummyTricks", digits), f'[OptimumResultTable "{head}"]', *rows]


def _game(game: GameRecord) -> list[str]:
    contract = game.contract
    declarer = contract.declarer if contract else None
    nobody = "" if game.passed_out else "?"
    kept = dict(game.tags)
    fields = {
        "Event": game.event or "?",
        "Site": game.site or "?",
        "Date": f"{game.date:%Y.%m.%d}" if game.date else "?",
        "Board": "?" if game.board is None else str(game.board),
        **{PLAYERS[seat]: game.players[seat] for seat in _COLUMNS_OF_SEATS},
        "Dealer": "?" if game.dealer is None else game.dealer.letter,
        "Vulnerable": _VULNERABLE[game.vulnerability] if game.vulnerability else "?",
        "Deal": _deal(game.deal, game.dealer),
        "Scoring": game.scoring or "?",
        "Declarer": nobody if declarer is None else declarer.letter,
        "Contract": contract.text if contract else "Pass" if game.passed_out else "?",
        "Result": nobody if game.tricks is None else str(game.tricks),
    }
    lines = [_tag(name, kept.get(name, value)) for name, value in fields.items()]
    if game.ns_score is not None:
        lines.append(_tag("Score", f"NS {game.ns_score}"))
    if game.ns_imps is not None:
        lines.append(_tag("ScoreIMP", f"NS {game.ns_imps}"))
    lines += _double_dummy(game.double_dummy)
    lines += [_tag(name, value) for name, value in game.tags if name not in fields]
    for table in game.tables:
        lines += _table(table.name, table.head, table.rows)
    lines += [_comment(comment) for comment in game.comments]
    return lines + _auction(game) + _play(game, declarer)


def _comment(text: str) -> str:
    """A comment in braces; it cannot hold a brace of its own, and % begins no line."""
    plain = re.sub("^%", " %", text.replace("}", ")"), flags=re.MULTILINE)
    return f"{{\n{plain}\n}}" if "\n" in plain else f"{{{plain}}}"


class _Notes:
    """Numbers for what is said about calls or cards; the same words get the same number."""

    def __init__(self, game: GameRecord) -> None:
        self.taken = {value.partition(":")[0].strip() for name, value in game.tags if name == "Note"}
        self.numbers: dict[str, int] = {}

    def words(self, said: CallRecord | CardRecord, text: str) -> str:
        """A call or a card with its signs, the number of its note, and its comment."""
        marks = said.mark.split()
        before = [mark for mark in marks if mark.startswith("^")]
        after = [mark for mark in marks if not mark.startswith("^")]
        reference = [] if said.note is None else [f"={self.number(said.note)}="]
        comment = [_comment(said.comment)] if said.comment else []
        return " ".join([*before, text, *after, *reference, *comment])

    def number(self, text: str) -> int:
        if text not in self.numbers:
            free = (number for number in count(1) if str(number) not in self.taken)
            self.numbers[text] = next(free)
            self.taken.add(str(self.numbers[text]))
        return self.numbers[text]

    def tags(self) -> list[str]:
        return [_tag("Note", f"{number}:{text}") for text, number in self.numbers.items()]


def _auction(game: GameRecord) -> list[str]:
    if not game.auction:
        return []
    notes = _Notes(game)
    seat = first = game.auction[0].seat if game.dealer is None else game.dealer
    words: list[str] = []
    for call in game.auction:
        while seat is not call.seat:
            words.append("^S")
            seat = seat.left
        words.append(notes.words(call, call.call.text))
        seat = seat.left
    if not is_over([call.call for call in game.auction]):
        words.append("*")
    return [_tag("Auction", first.letter), *_in_fours(words), *notes.tags()]


def _play(game: GameRecord, declarer: Seat | None) -> list[str]:
    cards = [card for trick in game.play for card in trick]
    if not cards:
        return []
    notes = _Notes(game)
    first = game.play[0][0].seat if game.play[0] else cards[0].seat if declarer is None else declarer.left
    words: list[str] = []
    for trick in game.play:
        row = {card.seat: notes.words(card, card.card.text) for card in trick}
        words += [row.get(Seat((first + place) % 4), "-") for place in range(4)]
    if len(cards) < 52:
        words.append("*")
    return [_tag("Play", first.letter), *_in_fours(words), *notes.tags()]


def _in_fours(words: Sequence[str]) -> list[str]:
    return [" ".join(words[start : start + 4]) for start in range(0, len(words), 4)]


def _board(event: EventRecord, session: SessionRecord, board: BoardRecord, columns: Columns) -> list[str]:
    dated = any(each.date for each in event.sessions)
    played = session.date if dated else event.date
    lines = [
        _tag("Event", event.title),
        _tag("Site", event.organisation or "?"),
        _tag("Date", f"{played:%Y.%m.%d}" if played else "?"),
        _tag("Board", str(board.number)),
        *(_tag(PLAYERS[seat], "") for seat in _COLUMNS_OF_SEATS),
        _tag("Dealer", board.dealer.letter),
        _tag("Vulnerable", _VULNERABLE[board.vulnerability]),
        _tag("Deal", _deal(board.deal, board.dealer)),
        _tag("Scoring", scoring_of(event.method) or "?"),
        *(_tag(name, "") for name in ("Declarer", "Contract", "Result")),
    ]
    if dated:
        lines.append(_tag("EventDate", f"{event.date:%Y.%m.%d}" if event.date else "?"))
    if len(event.sessions) > 1 or session.number != 1:
        lines.append(_tag("Session", str(session.number)))
    if session.title:
        lines.append(_tag("Stage", session.title))
    lines += _double_dummy(board.double_dummy)
    rows = [[text(row) for _, text in columns] for row in board.rows if row.ns and row.ew]
    return lines + (_aligned("ScoreTable", [name for name, _ in columns], rows) if rows else [])


def _columns(rows: Sequence[RowRecord], method: Method | None) -> Columns:
    """The columns of the score tables: the pairs, the result, and whatever any row says besides."""
    unit = _UNITS.get(method, "IMP")
    result: Columns = [
        ("PairId_NS", lambda row: row.ns),
        ("PairId_EW", lambda row: row.ew),
        ("Contract", lambda row: "Pass" if row.passed_out else row.contract.text if row.contract else "-"),
        (
            "Declarer",
            lambda row: _or_dash(
                row.contract.declarer.letter if row.contract and row.contract.declarer is not None else None
            ),
        ),
        ("Result", lambda row: _or_dash(row.tricks)),
    ]
    besides: Columns = [
        ("Lead", lambda row: _or_dash(row.lead and row.lead.text)),
        ("Score_NS", lambda row: _or_dash(row.ns_score)),
        (f"{unit}_NS", lambda row: _or_dash(row.ns_points)),
        (f"{unit}_EW", lambda row: _or_dash(row.ew_points)),
        ("Ruling_NS", lambda row: _or_dash(row.ruling and award_text(row.ruling.ns))),
        ("Ruling_EW", lambda row: _or_dash(row.ruling and award_text(row.ruling.ew))),
        ("Section", lambda row: _or_dash(row.section)),
        ("Table", lambda row: _or_dash(row.table)),
        ("Round", lambda row: _or_dash(row.round)),
    ]
    return result + [column for column in besides if any(column[1](row) != "-" for row in rows)]


def _or_dash(value: object) -> str:
    return "-" if value is None else str(value)


def _totals(event: EventRecord) -> list[str]:
    """The pairs, those that are ranked first and in the order of their ranking."""
    named = {pair.label: pair for pair in event.pairs}
    ranked = {each.pair: each for each in event.standings if each.session is None and each.pair in named}
    columns: list[tuple[str, Callable[[PairRecord, PublishedStanding], object]]] = [
        ("Rank", lambda _, said: said.place),
        ("PairId", lambda pair, _: pair.label),
        ("Section", lambda pair, _: pair.section or None),
        ("Direction", lambda pair, _: pair.direction),
        ("Names", lambda pair, _: ";".join(player.name.replace(";", ",") for player in pair.players) or None),
        (
            TOTAL_VPS if event.by_vps else _TOTALS.get(event.method, "TotalIMP"),
            lambda _, said: said.total,
        ),
        ("TotalPercentage", lambda _, said: said.percent),
        ("MasterPoints", lambda _, said: said.master_points),
        (ROUND_SCORES, lambda _, said: ";".join(map(str, said.rounds)) or None),
        ("Handicap", lambda pair, _: pair.handicap),
        ("CarryOver", lambda pair, _: pair.carry_over),
        ("Adjustment", lambda pair, _: pair.adjustment),
    ]
    entries = [
        (named[label], ranked.get(label, PublishedStanding(label)))
        for label in [*ranked, *(named.keys() - ranked.keys())]
    ]
    used = [(name, value) for name, value in columns if any(value(*entry) is not None for entry in entries)]
    rows = [[_or_dash(value(*entry)) for _, value in used] for entry in entries]
    return _aligned("TotalScoreTable", [name for name, _ in used], rows)
