"""The pages of pairs events: standings, score cards, travellers, boards, how it was scored, and files of all that."""

import hashlib
from dataclasses import asdict
from datetime import date
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.http import content_disposition_header, quote_etag
from django.utils.text import get_valid_filename
from django.utils.translation import get_language
from django.views.decorators.http import condition, require_safe

from apps.pairs import selectors
from apps.pairs.files import exports
from apps.pairs.models import Event
from apps.pairs.selectors import BoardPlace, Pair, RankingList
from apps.pairs.selectors.tables import boards_to_ask_about, replays_of
from apps.pairs.services.imports import WHAT, rule_in_words
from apps.pairs.views.live_state import coming_events
from apps.results.models import Field
from apps.users.views import signed_in
from bridge.comparison import Method
from bridge.datum import DatumRule
from bridge.round_scores import ABSENT_PERCENT, BYE_IMPS, BYE_PERCENT, BYE_VPS


def page_tag(request: HttpRequest, event_id: int, **_kwargs: object) -> str | None:
    """What a page of a published event depends on; a browser that has this version is told so, and nothing is made."""
    versions = None if request.user.is_authenticated else selectors.versions_of(event_id)
    if versions is None:
        return None
    parts = (*versions, get_language(), request.get_full_path(), request.META.get("CSRF_COOKIE"))
    return quote_etag(hashlib.blake2b(repr(parts).encode(), digest_size=16).hexdigest())


def event_context(
    request: HttpRequest, event_id: int, tab: str
) -> tuple[Event, dict[int, Pair], dict[str, Any]]:
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
        "unit": selectors.unit_of(event),
        "is_unsigned": selectors.is_unsigned(event),
        "decimals": 2 if event.field.method == Method.CROSS_IMP else 0,
        "has_cross_table": selectors.has_cross_table(event, len(pairs)),
    }
    return event, pairs, context


@require_safe
def events(request: HttpRequest) -> HttpResponse:
    """All events, newest first."""
    method, text = request.GET.get("method", ""), request.GET.get("q", "").strip()[:100]
    scored, named = method if method in Field.Method.values else "", text.replace("\0", "")
    listed, more = selectors.list_events(
        selectors.visible_events(request.user),
        method=scored,
        text=named,
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
        "coming": [] if "after" in request.GET else coming_events(request.user, method=scored, text=named),
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
    event, pairs, context = event_context(request, event_id, "standings")
    several = selectors.ranked_sessions(event, context["head"].sessions)
    session = _session(request, several)
    lists = selectors.ranking_lists(event, pairs, session=session, sessions=[] if session else several)
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


def _session(request: HttpRequest, several: list[int]) -> int:
    """The session that is asked for; 0 is the whole event."""
    asked = request.GET.get("session", "")
    return next((number for number in several if str(number) == asked), 0)


@require_safe
@condition(etag_func=page_tag)
def cross_table(request: HttpRequest, event_id: int) -> HttpResponse:
    """What each pair scored against each."""
    event, pairs, context = event_context(request, event_id, "cross-table")
    if not context["has_cross_table"]:
        raise Http404
    lists = selectors.ranking_lists(event, pairs)
    tables = selectors.cross_tables(event, lists)
    context |= {
        "tables": tables,
        "has_rounds_alone": any(row.alone is not None for table in tables for row in table.rows),
        "has_penalties": any(line.penalty for ranking in lists for line in ranking.lines),
    }
    return render(request, "pairs/cross_table.html", context)


@require_safe
@condition(etag_func=page_tag)
def scorecards(request: HttpRequest, event_id: int) -> HttpResponse:
    """The pairs, to choose one."""
    event, pairs, context = event_context(request, event_id, "scorecards")
    lines = [line for ranking in selectors.ranking_lists(event, pairs) for line in ranking.lines]
    standing = {line.pair.pk: line for line in lines}
    context |= {"entries": [(pair, standing.get(pair.pk)) for pair in pairs.values()]}
    return render(request, "pairs/scorecards.html", context)


@require_safe
@condition(etag_func=page_tag)
def scorecard(request: HttpRequest, event_id: int, order: int) -> HttpResponse:
    """What one pair did, board by board."""
    event, pairs, context = event_context(request, event_id, "scorecards")
    ordered = list(pairs.values())
    at = next((at for at, pair in enumerate(ordered) if pair.order == order), None)
    if at is None:
        raise Http404
    pair = ordered[at]
    card = selectors.score_card(event, pair, pairs)
    lists = selectors.ranking_lists(event, pairs)
    ranking, line = _line_of(pair, lists)
    context |= {
        "pair": pair,
        "line": line,
        "finishers": len(ranking.ranked) if ranking else 0,
        "scheduled": max((each.boards for each in ranking.lines), default=0) if ranking else 0,
        "card": card,
        "roles": selectors.by_role(card.meetings),
        "changes": selectors.shown_changes(event, pair.pk),
        "reasons": selectors.reasons_of_boards(event),
        "rounds": selectors.round_scores(event, pair) if selectors.runs_itself(event) else [],
        "to_ask": boards_to_ask_about(event, signed_in(request)) if pair.own else [],
        "previous": ordered[at - 1] if at else None,
        "next": ordered[at + 1] if at + 1 < len(ordered) else None,
        "has_leads": any(each.row.lead for each in card.lines),
        "has_datums": any(each.row.datum is not None for each in card.lines),
    }
    return render(request, "pairs/scorecard.html", context)


def _line_of(pair: Pair, lists: list[RankingList]) -> tuple[RankingList, selectors.Line] | tuple[None, None]:
    for ranking in lists:
        for line in ranking.lines:
            if line.pair.pk == pair.pk:
                return ranking, line
    return None, None


@require_safe
@condition(etag_func=page_tag)
def travellers(request: HttpRequest, event_id: int) -> HttpResponse:
    """One traveller at a time, and the numbers of all boards to choose another."""
    event, pairs, context = event_context(request, event_id, "travellers")
    places = selectors.boards_of(event, with_tricks=False)
    asked = request.GET.get("board", "")
    chosen = [each for each in places if f"{each.session}-{each.board.number}" == asked] or places
    context |= {"places": places, "place": chosen[0] if chosen else None}
    if chosen:
        context["traveller"] = selectors.traveller_of(event, pairs, chosen[0].field_board)
        context["reasons"] = selectors.reasons_of_boards(event)
        context["replays"] = replays_of(event, session=chosen[0].session, number=chosen[0].board.number)
    return render(request, "pairs/travellers.html", context)


@require_safe
@condition(etag_func=page_tag)
def all_travellers(request: HttpRequest, event_id: int) -> HttpResponse:
    """Every board with its cards and its traveller, to read through or to print."""
    event, pairs, context = event_context(request, event_id, "travellers")
    found = selectors.travellers_of(event, pairs)
    places = selectors.boards_of(event)
    context |= {
        "places": places,
        "travellers": [(place, found.get(place.field_board)) for place in places],
        "reasons": selectors.reasons_of_boards(event),
    }
    return render(request, "pairs/all_travellers.html", context)


@require_safe
@condition(etag_func=page_tag)
def boards(request: HttpRequest, event_id: int) -> HttpResponse:
    """The hand records."""
    event, _pairs, context = event_context(request, event_id, "boards")
    context |= {"places": selectors.boards_of(event)}
    return render(request, "pairs/boards.html", context)


@require_safe
@condition(etag_func=page_tag)
def board(request: HttpRequest, event_id: int, session: int, number: int) -> HttpResponse:
    """One board: the cards, what could be made, and what everybody did."""
    event, pairs, context = event_context(request, event_id, "boards")
    places = selectors.boards_of(event)
    at = _place(places, session, number)
    context |= {
        "place": places[at],
        "previous": places[at - 1] if at else None,
        "next": places[at + 1] if at + 1 < len(places) else None,
        "traveller": selectors.traveller_of(event, pairs, places[at].field_board),
        "replays": replays_of(event, session=session, number=number),
        "reasons": selectors.reasons_of_boards(event),
    }
    return render(request, "pairs/board.html", context)


def _place(places: list[BoardPlace], session: int, number: int) -> int:
    """Where this board stands among all; 404 when it is not there."""
    for at, place in enumerate(places):
        if (place.session, place.board.number) == (session, number):
            return at
    raise Http404


@require_safe
@condition(etag_func=page_tag)
def about(request: HttpRequest, event_id: int) -> HttpResponse:
    """How the event was scored, in words, and what the director decided."""
    event, pairs, context = event_context(request, event_id, "about")
    rule = DatumRule.from_text(event.field.datum_rule)
    changes = selectors.shown_changes(event)
    context |= {
        "trim": asdict(rule.trim),  # templates call what can be called, and these can
        "rounding": rule.rounding.value,
        "bye": {
            "percent": BYE_PERCENT,
            "absent_percent": ABSENT_PERCENT,
            "imps": BYE_IMPS,
            "vps": BYE_VPS,
        },
        "share": 100 * rule.trim.share,
        "source": event.source,
        "rule": rule_in_words(event.source),
        "differences": [{**each, "what": WHAT[each["what"]]} for each in event.source.get("differences", [])],
        "rulings": selectors.rulings_of(event, pairs, changes),
        "penalties": selectors.penalties_of(event, pairs),
        "changes": changes,
    }
    return render(request, "pairs/about.html", context)


# ---- files


@require_safe
@condition(etag_func=page_tag)
def standings_file(request: HttpRequest, event_id: int) -> HttpResponse:
    """The standings, over all or of one session, for a spreadsheet."""
    event = _event(request, event_id)
    several = selectors.ranked_sessions(event, list(event.sessions.order_by("number")))
    session = _session(request, several)
    lists = selectors.ranking_lists(event, selectors.pairs_of(event.field_id), session=session)
    name = f"standings {session}.csv" if session else "standings.csv"
    return _file(exports.standings_csv(event, lists), event, name)


@require_safe
@condition(etag_func=page_tag)
def event_file(request: HttpRequest, event_id: int, form: str) -> HttpResponse:
    """The whole event: its results for a spreadsheet, or everything for another program."""
    event = _event(request, event_id)
    return _file(exports.EVENT[form](selectors.whole_event(event)), event, form)


@require_safe
@condition(etag_func=page_tag)
def board_file(request: HttpRequest, event_id: int, session: int, number: int, form: str) -> HttpResponse:
    """One board: its cards, and in PBN what everybody did."""
    event = _event(request, event_id)
    whole = selectors.whole_event(event)
    place = whole.places[_place(whole.places, session, number)]
    name = f"{session}-{number}.{form}" if len(whole.sessions) > 1 else f"{number}.{form}"
    return _file(exports.BOARD[form](whole, place), event, name)


def _event(request: HttpRequest, event_id: int) -> Event:
    """The event; 404 when the viewer may not know of it."""
    return get_object_or_404(selectors.visible_events(request.user), pk=event_id)


def _file(content: bytes, event: Event, name: str) -> HttpResponse:
    """A file to keep, called after the event in its own letters."""
    kind = exports.KINDS[name.rpartition(".")[2]]
    response = HttpResponse(content, content_type=f"{kind}; charset=utf-8")
    called = get_valid_filename(f"{event.title[:80]} {name}")
    response["Content-Disposition"] = str(content_disposition_header(as_attachment=True, filename=called))
    return response
