"""Events as files: for a spreadsheet, for another program, for the next event. The figures and ranks are the page's."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from django.http import Http404
from django.utils.translation import gettext as _

from apps.pairs.models import Event
from apps.pairs.selectors import (
    BoardPlace,
    Entry,
    Line,
    Pair,
    RankingList,
    Row,
    WholeEvent,
    counts_vps,
    runs_itself,
    unit_of,
)
from apps.results.templatetags.notation import MINUS, THIN_SPACE, award, fixed
from bridge.cards import Card, Deal
from bridge.comparison import Method
from bridge.contracts import Contract, Doubling, Strain
from bridge.formats import lin, pbn
from bridge.formats.game import GameRecord
from bridge.formats.records import (
    BoardRecord,
    EventRecord,
    PairRecord,
    PlayerRecord,
    PublishedStanding,
    RowRecord,
    SessionRecord,
)
from bridge.seats import Seat, Side, Vulnerability

KINDS = {
    "csv": "text/csv",
    "json": "application/json",
    "pbn": "text/x-pbn",
    "lin": "text/plain",
}

# ---- spreadsheets

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What a spreadsheet takes for the beginning of a formula."""


def spreadsheet(rows: Iterable[Sequence[object]]) -> bytes:
    """Rows for a spreadsheet: the mark at the front tells it that the letters are UTF-8."""
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue().encode("utf-8-sig")


def cell(text: str) -> str:
    """Text that somebody else wrote, so that no spreadsheet takes it for a formula."""
    return f"'{text}" if text.startswith(FORMULA) else text


def _figure(value: Fraction | None) -> str:
    """A figure with two decimals as programs read it."""
    return "" if value is None else _plain(fixed(value))


def _plain(text: str) -> str:
    return text.replace(MINUS, "-").replace(THIN_SPACE, "")


def standings_csv(event: Event, lists: Sequence[RankingList]) -> bytes:
    """The ranking lists, one line a pair."""
    unit = unit_of(event)
    heads = [
        _("Rank"),
        _("Direction"),
        _("No."),
        _("Pair"),
        _("Percent") if unit == "%" else unit,
        _("Total"),
        _("Penalty"),
        _("Boards"),
    ]
    lines = (
        [
            line.place if line.rank else "",
            line.pair.direction,
            cell(line.pair.label),
            cell(line.pair.names),
            _figure(line.score),
            _figure(line.total),
            line.penalty,
            line.boards,
            line.masterpoints,
        ]
        for ranking in lists
        for line in ranking.lines
    )
    return spreadsheet([[*heads, _("Master points")], *lines])


def travellers_csv(whole: WholeEvent) -> bytes:
    """All results of all boards, one line a table."""
    unit = _("Matchpoints") if whole.event.field.method == Method.MP else _("IMPs")
    ns, ew = _("N–S"), _("E–W")
    heads = [_("Session"), _("Board"), _("Round"), _("Table")]
    heads += [_("Pair N–S"), _("Players N–S"), _("Pair E–W"), _("Players E–W")]
    heads += [_("Contract"), _("Declarer"), _("Lead"), _("Tricks"), _("Score N–S")]
    heads += [_("Ruling N–S"), _("Ruling E–W"), f"{unit} {ns}", f"{unit} {ew}", f"% {ns}", f"% {ew}"]
    heads += [_("Datum"), _("Left out of the datum")]
    rows = (_traveller_row(entry) for place in whole.places for entry in whole.entries(place))
    return spreadsheet([heads, *rows])


def _traveller_row(entry: Entry) -> list[object]:
    row, ns, ew = entry
    rulings = (row.ruling.ns, row.ruling.ew) if row.ruling else (None, None)
    return [
        row.session,
        row.number,
        row.round,
        cell(row.table),
        cell(ns.label),
        cell(ns.names),
        cell(ew.label),
        cell(ew.names),
        _contract(row),
        row.declarer,
        row.lead,
        row.tricks,
        row.ns_score,
        *(_plain(award(each)) for each in rulings),
        _figure(row.ns_points),
        _figure(row.ew_points),
        _figure(row.ns_percent),
        _figure(row.ew_percent),
        row.datum,
        1 if row.dropped else None,
    ]


def _contract(row: Row) -> str:
    contract = _bid(row)
    return contract.text if contract else "Pass" if row.level == 0 else ""


def _bid(row: Row) -> Contract | None:
    if not row.level:
        return None
    return Contract(
        row.level, Strain.from_text(row.strain), Doubling(row.doubling), Seat.from_letter(row.declarer)
    )


# ---- JSON


def event_json(whole: WholeEvent) -> bytes:
    """The whole event. The score that ranks is the page's, to 0.01; points and totals are exact, such as `100/3`.

    Totals, penalties and what rounds brought are matchpoints or IMPs; where rounds are added up (`by_rounds`),
    percentages of boards summed, victory points (`by_vps`), or IMPs.
    """
    event, rules = whole.event, whole.event.field.rules
    document = {
        "title": event.title,
        "organisation": event.organisation,
        "venue": event.venue,
        "date": event.played_on and event.played_on.isoformat(),
        "scoring": event.field.method,
        "by_rounds": runs_itself(event),
        "by_vps": counts_vps(event),
        "datum_rule": str(rules.datum_rule) if rules.method is Method.BUTLER else None,
        "neuberg": rules.neuberg if rules.method is Method.MP else None,
        "winners": event.winners,
        "pairs": [_pair_json(pair) for pair in whole.pairs.values()],
        "standings": [
            {
                "direction": ranking.direction,
                "lines": [
                    _line_json(line) | {"rounds": _rounds_json(whole, line.pair)} for line in ranking.lines
                ],
            }
            for ranking in whole.lists
        ],
        "boards": [_board_json(whole, place) for place in whole.places],
    }
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()


def _pair_json(pair: Pair) -> dict[str, Any]:
    return {
        "number": pair.label,
        "direction": pair.direction,
        "status": pair.status,
        "players": [{"id": player.pk, "name": player.name} for player in pair.players],
    }


def _line_json(line: Line) -> dict[str, Any]:
    return {
        "pair": line.pair.label,
        "rank": line.rank,
        "tied": line.tied,
        "score": _figure(line.score),
        "total": _exact(line.total),
        "penalty": str(line.penalty),
        "boards": line.boards,
        "masterpoints": str(line.masterpoints),
        "sessions": [None if score is None else _figure(score) for score in line.sessions],
    }


def _rounds_json(whole: WholeEvent, pair: Pair) -> list[dict[str, Any]]:
    """What the total is made of, penalties aside, where the event is played in rounds."""
    return [
        {"round": score.round.number, "kind": score.kind, "points": _exact(score.points)}
        for score in whole.rounds.get(pair.pk, [])
    ]


def _board_json(whole: WholeEvent, place: BoardPlace) -> dict[str, Any]:
    board, entries = place.board, whole.entries(place)
    compared = next((row for row, _ns, _ew in entries if row.ns_points is not None), None)
    return {
        "session": place.session,
        "number": board.number,
        "dealer": board.dealer,
        "vulnerable": board.vulnerable,
        "deal": board.deal or None,
        "double_dummy": place.tricks,
        "par": board.par_score,
        "datum": compared and compared.datum,
        "top": _exact(compared.top) if compared else None,
        "results": [
            {
                "ns": ns.label,
                "ew": ew.label,
                "round": row.round,
                "table": row.table,
                "kind": row.kind,
                "contract": _contract(row) or None,
                "declarer": row.declarer or None,
                "lead": row.lead or None,
                "tricks": row.tricks,
                "ns_score": row.ns_score,
                "ruling": row.ruling and row.ruling.to_json(),
                "ns_points": _exact(row.ns_points),
                "ew_points": _exact(row.ew_points),
                "left_out": row.dropped,
            }
            for row, ns, ew in entries
        ],
    }


def _exact(value: Fraction | None) -> str | None:
    return None if value is None else str(value)


# ---- PBN and LIN


def event_pbn(whole: WholeEvent) -> bytes:
    """Boards with their score tables, pairs and standings. What it does not say it leaves open."""
    event = whole.event
    by_session: dict[int, list[BoardRecord]] = {session.number: [] for session in whole.sessions}
    for place in whole.places:
        by_session.setdefault(place.session, []).append(_board_record(whole, place))
    dated = {session.number: session for session in whole.sessions if len(whole.sessions) > 1}
    return pbn.write_event(
        EventRecord(
            title=event.title,
            sessions=tuple(
                SessionRecord(
                    number,
                    tuple(boards),
                    (dated[number].title or None) if number in dated else None,
                    dated[number].played_on if number in dated else None,
                )
                for number, boards in by_session.items()
            ),
            pairs=tuple(_pair_record(whole, pair) for pair in whole.pairs.values()),
            standings=tuple(_standing(whole, line) for ranking in whole.lists for line in ranking.lines),
            method=Method(event.field.method),
            winners=event.winners,
            by_vps=counts_vps(event),
            date=event.played_on,
            organisation=event.organisation or None,
            venue=event.venue or None,
        )
    )


def _pair_record(whole: WholeEvent, pair: Pair) -> PairRecord:
    penalty = sum(line.penalty for ranking in whole.lists for line in ranking.lines if line.pair == pair)
    return PairRecord(
        pair.label,
        tuple(PlayerRecord(player.name) for player in pair.players),
        Side(pair.direction) if pair.direction and whole.event.winners == 2 else None,
        adjustment=-penalty if penalty else None,
    )


def _standing(whole: WholeEvent, line: Line) -> PublishedStanding:
    is_mp, rounds = whole.event.field.method == Method.MP, whole.rounds.get(line.pair.pk, [])
    return PublishedStanding(
        line.pair.label,
        total=None if is_mp and rounds else _decimal(line.total),  # percentages summed are no matchpoints
        percent=_decimal(line.score) if is_mp else None,
        place=line.place if line.rank else None,
        master_points=line.masterpoints or None,
        rounds=tuple(Decimal(_figure(score.points)) for score in rounds),
    )


def _board_record(whole: WholeEvent, place: BoardPlace) -> BoardRecord:
    board = place.board
    return BoardRecord(
        board.number,
        Seat.from_letter(board.dealer),
        Vulnerability(board.vulnerable),
        Deal.from_pbn(board.deal) if board.deal else None,
        double_dummy=place.tricks,
        rows=tuple(
            RowRecord(
                ns.label,
                ew.label,
                _bid(row),
                row.level == 0,
                row.tricks,
                Card.from_text(row.lead) if row.lead else None,
                row.ns_score,
                row.ruling,
                _decimal(row.ns_points),
                _decimal(row.ew_points),
                round=row.round,
                table=row.table or None,
            )
            for row, ns, ew in whole.entries(place)
        ),
    )


def _decimal(value: Fraction | None) -> Decimal | None:
    return None if value is None else Decimal(_figure(value).removesuffix(".00"))


def board_pbn(whole: WholeEvent, place: BoardPlace) -> bytes:
    """The board with everything that happened on it."""
    event = whole.event
    session = SessionRecord(place.session, (_board_record(whole, place),))
    return pbn.write_event(
        EventRecord(
            title=event.title,
            sessions=(session,),
            pairs=(),
            method=Method(event.field.method),
            winners=event.winners,
            date=event.played_on,
            organisation=event.organisation or None,
        )
    )


def board_lin(whole: WholeEvent, place: BoardPlace) -> bytes:
    """The cards, for viewers that read LIN; 404 when nobody recorded them."""
    board = place.board
    if not board.deal:
        raise Http404
    return lin.write(
        [
            GameRecord(
                board=board.number,
                dealer=Seat.from_letter(board.dealer),
                vulnerability=Vulnerability(board.vulnerable),
                deal=Deal.from_pbn(board.deal),
                event=whole.event.title,
                date=whole.event.played_on,
            )
        ]
    )


EVENT: dict[str, Callable[[WholeEvent], bytes]] = {
    "travellers.csv": travellers_csv,
    "event.json": event_json,
    "event.pbn": event_pbn,
}
BOARD: dict[str, Callable[[WholeEvent, BoardPlace], bytes]] = {"pbn": board_pbn, "lin": board_lin}
