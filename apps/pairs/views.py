"""The pages of pairs events: standings, score cards, travellers, boards, and how it was scored."""

import csv
import hashlib
from dataclasses import asdict
from datetime import date
from fractions import Fraction
from typing import Any

from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.http import quote_etag
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import condition, require_safe

from apps.pairs import selectors
from apps.pairs.models import Event
from apps.pairs.selectors import Pair
from apps.results.models import Field
from apps.results.templatetags.notation import MINUS, THIN_SPACE, fixed
from bridge.comparison import Method
from bridge.datum import DatumRule


def page_tag(request: HttpRequest, event_id: int, **_kwargs: object) -> str | None:
    """What a page of a published event depends on; a browser that has this version is told so, and nothing is made."""
    event = Event.objects.filter(pk=event_id, state=Event.State.PUBLISHED)
    solved = Count("field__field_boards__board__par_score")
    versions = (
        event.annotate(solved=solved)
        .values_list("field__version", "ranked_version", "published_at", "solved")
        .first()
    )
    if versions is None or request.user.is_authenticated:
        return None
    parts = (*versions, get_language(), request.get_full_path(), request.META.get("CSRF_COOKIE"))
    return quote_etag(hashlib.blake2b(repr(parts).encode(), digest_size=16).hexdigest())


def _context(request: HttpRequest, event_id: int, tab: str) -> tuple[Event, dict[int, Pair], dict[str, Any]]:
    """The event with its pairs, and what every page of it shows; 404 when the viewer may not know of it."""
    event = get_object_or_404(selectors.visible_events(request.user), pk=event_id)
    pairs = selectors.pairs_of(event.field_id, viewer=request.user.pk)
    context = {
        "section": "events",
        "tab": tab,
        "event": event,
        "head": selectors.head_of(event, len(pairs)),
        "own_pair": next((pair for pair in pairs.values() if pair.own), None),
        "is_mp": event.field.method == Method.MP,
        "decimals": 2 if event.field.method == Method.CROSS_IMP else 0,
    }
    return event, pairs, context


@require_safe
def events(request: HttpRequest) -> HttpResponse:
    """All events, newest first."""
    method, text = request.GET.get("method", ""), request.GET.get("q", "").strip()[:100]
    listed, more = selectors.list_events(
        selectors.visible_events(request.user),
        method=method if method in Field.Method.values else "",
        text=text.replace("\0", ""),
        after=_keyset(request.GET.get("after", "")),
    )
    query = request.GET.copy()
    if more:
        query["after"] = f"{more[0].isoformat()}.{more[1]}"
    context = {
        "section": "events",
        "listed": listed,
        "methods": Field.Method.choices,
        "method": method,
        "text": text,
        "more": query.urlencode() if more else "",
        "is_first_page": "after" not in request.GET,
        "is_filtered": bool(method or text),
    }
    return render(request, "pairs/events.html", context)


def _keyset(text: str) -> selectors.Keyset | None:
    day, _dot, pk = text.partition(".")
    try:
        return date.fromisoformat(day), min(int(pk), 2**62)
    except ValueError:
        return None


@require_safe
@condition(etag_func=page_tag)
def event(request: HttpRequest, event_id: int) -> HttpResponse:
    """The standings."""
    event, pairs, context = _context(request, event_id, "standings")
    numbers = [session.number for session in context["head"].sessions]
    several = numbers if len(numbers) > 1 else []
    asked = request.GET.get("session", "")
    session = next((number for number in several if str(number) == asked), 0)
    lists = selectors.ranking_lists(event, pairs, session=session, sessions=[] if session else several)
    if request.GET.get("format") == "csv":
        return _standings_file(event, lists)
    lines = [line for ranking in lists for line in ranking.lines]
    context |= {
        "lists": lists,
        "session": session,
        "sessions": several,
        "beside": [] if session else several,
        "has_penalties": any(line.penalty for line in lines),
        "has_masterpoints": any(line.masterpoints for line in lines),
    }
    return render(request, "pairs/event.html", context)


def _standings_file(event: Event, lists: list[selectors.RankingList]) -> HttpResponse:
    """The lists for a spreadsheet; figures exact to 0.01 with a plain minus sign."""
    response = HttpResponse("\ufeff", content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="standings-{event.pk}.csv"'
    score = _("Percent") if event.field.method == Method.MP else _("IMPs")
    writer = csv.writer(response)
    columns = (_("Rank"), _("Direction"), _("Pair"), _("Players"), score)
    writer.writerow([*columns, _("Total"), _("Penalty"), _("Boards"), _("Master points")])
    for line in (line for ranking in lists for line in ranking.lines):
        writer.writerow(
            [
                line.place if line.rank else "",
                line.pair.direction,
                _cell(line.pair.label),
                _cell(line.pair.names),
                _figure(line.score),
                _figure(line.total),
                line.penalty,
                line.boards,
                line.masterpoints,
            ]
        )
    return response


def _figure(value: Fraction) -> str:
    """A figure with two decimals as spreadsheets read it."""
    return fixed(value).replace(MINUS, "-").replace(THIN_SPACE, "")


def _cell(text: str) -> str:
    """Text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


@require_safe
@condition(etag_func=page_tag)
def scorecards(request: HttpRequest, event_id: int) -> HttpResponse:
    """The pairs, to choose one."""
    event, pairs, context = _context(request, event_id, "scorecards")
    lines = [line for ranking in selectors.ranking_lists(event, pairs) for line in ranking.lines]
    standing = {line.pair.pk: line for line in lines}
    context |= {"entries": [(pair, standing.get(pair.pk)) for pair in pairs.values()]}
    return render(request, "pairs/scorecards.html", context)


@require_safe
@condition(etag_func=page_tag)
def scorecard(request: HttpRequest, event_id: int, order: int) -> HttpResponse:
    """What one pair did, board by board."""
    event, pairs, context = _context(request, event_id, "scorecards")
    ordered = list(pairs.values())
    at = next((at for at, pair in enumerate(ordered) if pair.order == order), None)
    if at is None:
        raise Http404
    pair = ordered[at]
    meetings = selectors.score_card(pair, pairs)
    lists = selectors.ranking_lists(event, pairs)
    found = [
        (line, len(ranking.ranked)) for ranking in lists for line in ranking.lines if line.pair.pk == pair.pk
    ]
    line, finishers = found[0] if found else (None, 0)
    context |= {
        "pair": pair,
        "line": line,
        "finishers": finishers,
        "meetings": meetings,
        "roles": selectors.by_role(meetings),
        "previous": ordered[at - 1] if at else None,
        "next": ordered[at + 1] if at + 1 < len(ordered) else None,
        "has_leads": any(each.row.lead for meeting in meetings for each in meeting.lines),
        "has_datums": any(each.row.datum is not None for meeting in meetings for each in meeting.lines),
    }
    return render(request, "pairs/scorecard.html", context)


@require_safe
@condition(etag_func=page_tag)
def travellers(request: HttpRequest, event_id: int) -> HttpResponse:
    """One traveller at a time, and the numbers of all boards to choose another."""
    event, pairs, context = _context(request, event_id, "travellers")
    places = selectors.boards_of(event, with_tricks=False)
    asked = request.GET.get("board", "")
    chosen = [each for each in places if f"{each.session}-{each.board.number}" == asked] or places
    context |= {"places": places, "place": chosen[0] if chosen else None}
    if chosen:
        context |= _traveller(event, pairs, chosen[0])
    return render(request, "pairs/travellers.html", context)


def _traveller(event: Event, pairs: dict[int, Pair], place: selectors.BoardPlace) -> dict[str, Any]:
    """The rows of a board with their pairs, above and below the datum where there is one."""
    rows = selectors.rows_of_board(place.field_board)
    entries = [(row, pairs[row.ns], pairs[row.ew]) for row in rows]
    counted = [row for row in rows if row.ns_points is not None]
    datum = next((row.datum for row in counted), None)
    top = next((row.top for row in counted), None)
    above = sum(row.ns_score is not None and row.ns_score >= (datum or 0) for row in rows)
    expected = int(top) // 2 + 1 if top is not None else len(counted)
    return {
        "entries": entries,
        "datum": datum,
        "parts": [entries] if datum is None else [entries[:above], entries[above:]],
        "counted": len(counted),
        "dropped": sum(row.dropped for row in counted),
        "kept": sum(not row.dropped and row.ns_score is not None for row in counted),
        "longest": max((abs(row.ns_points) for row in counted if row.ns_points is not None), default=0),
        "top": top,
        "expected": expected,
        "is_short": event.field.neuberg and len(counted) < expected,
        "has_leads": any(row.lead for row in rows),
        "has_rulings": any(row.ruling for row in rows),
        "own_entry": next((each for each in entries if each[1].own or each[2].own), None),
    }


@require_safe
@condition(etag_func=page_tag)
def boards(request: HttpRequest, event_id: int) -> HttpResponse:
    """The hand records."""
    event, _pairs, context = _context(request, event_id, "boards")
    context |= {"places": selectors.boards_of(event)}
    return render(request, "pairs/boards.html", context)


@require_safe
def board(request: HttpRequest, event_id: int, session: int, number: int) -> HttpResponse:
    """One board: the cards, what could be made, and what everybody did."""
    event, pairs, context = _context(request, event_id, "boards")
    places = selectors.boards_of(event)
    wanted = (session, number)
    at = next((at for at, each in enumerate(places) if (each.session, each.board.number) == wanted), None)
    if at is None:
        raise Http404
    context |= {
        "place": places[at],
        "previous": places[at - 1] if at else None,
        "next": places[at + 1] if at + 1 < len(places) else None,
    }
    context |= _traveller(event, pairs, places[at])
    return render(request, "pairs/board.html", context)


@require_safe
@condition(etag_func=page_tag)
def about(request: HttpRequest, event_id: int) -> HttpResponse:
    """How the event was scored, in words."""
    event, _pairs, context = _context(request, event_id, "about")
    rule = DatumRule.from_text(event.field.datum_rule)
    context |= {
        "trim": asdict(rule.trim),  # templates call what can be called, and these can
        "rounding": rule.rounding.value,
        "share": 100 * rule.trim.share,
        "source": event.source,
        "differences": event.source.get("differences", []),
    }
    return render(request, "pairs/about.html", context)
