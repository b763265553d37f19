"""An event that runs itself, for those who play it and those who look on: before, during, and what it leaves behind.

Every page works without scripts; with them the parts that change fetch themselves.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from apps.boards.selectors import deal_faults, deal_record
from apps.clock.time import now
from apps.pairs.forms.entry import InviteForm, SlipForm
from apps.pairs.forms.players import find_player
from apps.pairs.models import Entrant, Event, Round, Swiss
from apps.pairs.selectors import tables, unit_of, visible_events
from apps.pairs.services import desk, direction, registration
from apps.pairs.services.doubting import question
from apps.pairs.services.imports import in_words
from apps.pairs.services.registration import Refused
from apps.pairs.services.slips import confirm_result, say_result
from apps.pairs.views import events as views
from apps.pairs.views import live_state as selectors
from apps.pairs.views.live_state import LIVE, BoardAtTable, Live, excerpt
from apps.users.models import Player, User
from apps.users.views import number_in, signed_in
from bridge.doubts import Doubt
from bridge.errors import BridgeError

UNFIT = 422
CONFLICT = 409
NOTHING_NEW = 204


def event(request: HttpRequest, event_id: int) -> HttpResponse:
    """The event as it is now: live while it is announced or played, its standings afterwards."""
    swiss = Swiss.objects.filter(pk=event_id).select_related("event__field", "seal").first()
    if swiss is None or swiss.event.state == Event.State.PUBLISHED:
        return views.event(request, event_id)
    if swiss.event.state == Event.State.DRAFT:
        get_object_or_404(visible_events(request.user), pk=event_id)
        return redirect("pairs:setup", event_id)
    return _live_page(request, swiss)


@require_safe
@never_cache
def _live_page(request: HttpRequest, swiss: Swiss) -> HttpResponse:
    _event, _pairs, context = views.event_context(request, swiss.pk, "standings")
    return render(request, "pairs/live/event.html", context | _live(request, swiss))


def _live(request: HttpRequest, swiss: Swiss, said: str = "") -> dict[str, Any]:
    live, whole = selectors.live_of(swiss, request.user), "all" in request.GET
    return {
        "event": swiss.event,
        "swiss": swiss,
        "live": live,
        "said": said,
        "is_mp": swiss.event.field.method == "MP" and not swiss.by_vps,
        "unit": unit_of(swiss.event),
        "polls": swiss.state in LIVE,
        "frame": selectors.frame_of(swiss),
        "can_invite": _can_enter(live),
        "invite": InviteForm(auto_id="invite-%s"),
        "whole": whole,
        "standings": [
            excerpt(ranking.lines, lambda line: line.pair.own, whole=whole)
            for ranking in live.lists
            if live.closed or live.is_shown_live
        ],
        "tables": excerpt(live.tables, lambda table: table.own, whole=whole),
    }


def _can_enter(live: Live) -> bool:
    return live.desk is not None and live.player is not None and live.entry is None and not live.refusal


def _swiss(event_id: int) -> Swiss:
    """An event that runs itself and was announced; 404 otherwise."""
    announced = Swiss.objects.exclude(event__state=Event.State.DRAFT)
    return get_object_or_404(announced.select_related("event__field", "seal"), pk=event_id)


def _wants_part(request: HttpRequest) -> bool:
    """Whether a script asks, for the part of a page that changes."""
    return "HX-Request" in request.headers


def _timed(response: HttpResponse, at: datetime) -> HttpResponse:
    """With the moment by the one clock that counts, for a browser to count down from."""
    response["Datum-Now"] = at.isoformat()
    return response


@require_safe
@never_cache
def live(request: HttpRequest, event_id: int) -> HttpResponse:
    """The part of the page that changes; nothing when it has not."""
    at = now()
    version = selectors.version_of(event_id, request.user.pk, at)
    if version is None:
        raise Http404
    if version == request.GET.get("seen"):
        return _timed(HttpResponse(status=NOTHING_NEW), at)
    return _fragment(request, _swiss(event_id))


def _fragment(request: HttpRequest, swiss: Swiss, said: str = "") -> HttpResponse:
    """The part that changes; a page whose frame is of another state of the event is fetched whole."""
    asked = request.POST if request.method == "POST" else request.GET
    if asked.get("frame") != selectors.frame_of(swiss):
        if said:
            messages.error(request, said)
        return HttpResponse(headers={"HX-Refresh": "true"})
    context = _live(request, swiss, said)
    return _timed(render(request, "pairs/live/_part.html", context), context["live"].at)


# ---- what a player does


def _invite(swiss: Swiss, user: User, player: Player, given: QueryDict) -> None:
    partner = find_player(given.get("name", "")[:120])
    desk.invite(event_id=swiss.pk, player=player, partner=partner, by=user)


def _answer(swiss: Swiss, user: User, player: Player, given: QueryDict, *, accept: bool) -> None:
    invitation = get_object_or_404(swiss.invitations, pk=number_in(given, "invitation") or 0)
    desk.answer_invitation(invitation_id=invitation.pk, player=player, accept=accept, by=user)


def _order(swiss: Swiss, player: Player) -> int:
    """The number of the player's pair.

    Raises:
        Refused: There is none.
    """
    entrant = Entrant.objects.filter(swiss=swiss, player=player).select_related("entry__contestant").first()
    if entrant is None:
        raise Refused("You are not entered in %(event)s.", event=swiss.event.title)
    return entrant.entry.contestant.order


Act = Callable[[Swiss, User, Player, QueryDict], object]

ACTS: dict[str, Act] = {
    "sit": lambda swiss, _user, player, given: desk.sit_down(
        event_id=swiss.pk, player=player, table=number_in(given, "table")
    ),
    "stand": lambda swiss, _user, player, _given: desk.stand_up(event_id=swiss.pk, player=player),
    "ask-to-leave": lambda swiss, _user, player, _given: desk.ask_to_leave(event_id=swiss.pk, player=player),
    "hand-up": lambda swiss, _user, player, _given: desk.raise_hand(event_id=swiss.pk, player=player),
    "hand-down": lambda swiss, _user, player, _given: desk.raise_hand(
        event_id=swiss.pk, player=player, up=False
    ),
    "invite": _invite,
    "accept": lambda swiss, user, player, given: _answer(swiss, user, player, given, accept=True),
    "decline": lambda swiss, user, player, given: _answer(swiss, user, player, given, accept=False),
    "here": lambda swiss, user, player, _given: registration.say_present(
        event_id=swiss.pk, order=_order(swiss, player), by=user
    ),
    "withdraw": lambda swiss, user, player, _given: registration.withdraw_pair(
        event_id=swiss.pk, order=_order(swiss, player), by=user, reason=""
    ),
    "missing": lambda swiss, user, player, _given: direction.report_missing(
        event_id=swiss.pk, player=player, by=user
    ),
    "call": lambda swiss, _user, player, _given: direction.call_director(event_id=swiss.pk, player=player),
    "helped": lambda swiss, _user, player, _given: direction.call_director(
        event_id=swiss.pk, player=player, calling=False
    ),
}


@require_POST
@login_required
def act(request: HttpRequest, event_id: int, name: str) -> HttpResponse:
    """Do one of the things that a player can do; where it cannot be, the page says why."""
    swiss = _swiss(event_id)
    if name not in ACTS:
        raise Http404
    said = _do(ACTS[name], swiss, signed_in(request), request.POST)
    if _wants_part(request):
        return _fragment(request, _swiss(event_id), said)
    if said:
        messages.error(request, said)
    return redirect("pairs:event", event_id)


def _do(act: Act, swiss: Swiss, user: User, given: QueryDict) -> str:
    """Have it done; why not, where it cannot be."""
    player = Player.objects.filter(user=user).first()
    if player is None:
        return _("Say in your preferences under which name you play.")
    try:
        act(swiss, user, player, given)
    except BridgeError as error:
        return in_words(error)
    except ValidationError as error:
        return " ".join(error.messages)
    return ""


@require_safe
@login_required
@never_cache
def names(request: HttpRequest, event_id: int) -> HttpResponse:
    """Players whose names have the letters typed so far."""
    swiss = _swiss(event_id)
    player = get_object_or_404(Player, user=signed_in(request))
    text = request.GET.get("name", "").replace("\0", "")[:120]
    found = selectors.suggested_players(swiss, text, but=player)
    return render(request, "pairs/live/_names.html", {"event": swiss.event, "found": found, "text": text})


# ---- the own table


@require_safe
@login_required
@never_cache
def own_table(request: HttpRequest, event_id: int) -> HttpResponse:
    """On to the table at which the viewer sits now; to the event where there is none."""
    swiss = _swiss(event_id)
    current = Round.objects.filter(swiss=swiss, state=Round.State.OPEN).first()
    found = tables.own_table(current, signed_in(request)) if current else None
    return redirect(found.table if found else swiss.event)


# ---- a score slip


@login_required
@never_cache
def slip(request: HttpRequest, event_id: int, board: int) -> HttpResponse:
    """A board at the viewer's table: say what happened, or confirm what the other side says."""
    user, at = signed_in(request), now()
    version = selectors.version_of(event_id, user.pk, at)
    if request.method == "GET" and version and request.GET.get("seen") == version:
        return _timed(HttpResponse(status=NOTHING_NEW), at)
    swiss = _swiss(event_id)
    found = selectors.own_board(swiss, user, board)
    if found is None:
        return _no_slip(request, swiss, board)
    seat, place = found
    form = SlipForm(request.POST if request.method == "POST" and "confirm" not in request.POST else None)
    said, status = "", 200
    doubtful: tuple[Doubt, ...] | None = ()
    if request.method == "POST":
        try:
            doubtful = _say(request, swiss, user, place, form)
        except Refused as refused:
            said, status = in_words(refused), CONFLICT
            found = selectors.own_board(swiss, user, board)
            if found is None:
                return _no_slip(request, swiss, board)
            seat, place = found
    if doubtful is None:
        return redirect("pairs:event", event_id)
    context = {
        "section": "events",
        "event": swiss.event,
        "swiss": swiss,
        "seat": seat,
        "place": place,
        "seen": version,
        "at": at,
        "confirm": SlipForm(auto_id="confirm-%s")["command"],
        "form": form,
        "word": selectors.word_of(form.said, board) if form.said else None,
        "doubts": [_(doubt.message) for doubt in doubtful],
        "said": said,
    }
    return _timed(render(request, "pairs/live/slip.html", context, status=status), at)


def _say(
    request: HttpRequest, swiss: Swiss, user: User, place: BoardAtTable, form: SlipForm
) -> tuple[Doubt, ...] | None:
    """Have a word said or confirmed; None when it was, else what is doubtful about it, if anything.

    Raises:
        Refused: The round is over, or the other side said something else meanwhile.
    """
    player = get_object_or_404(Player, user=user)
    where = {"event_id": swiss.pk, "board": place.number, "by": user, "player": player}
    if "confirm" in request.POST:
        command = SlipForm(request.POST)
        command.is_valid()
        version = number_in(request.POST, "confirm")
        if "command" in command.cleaned_data and version is not None:
            confirm_result(**where, version=version, command=command.cleaned_data["command"])
            return None
        return ()
    if not form.is_valid() or form.said is None or form.shown not in request.POST.getlist("save"):
        return ()
    if form.shown not in request.POST.getlist("sure"):
        doubtful = question(**where, said=form.said)
        if doubtful:
            return doubtful
    say_result(**where, said=form.said, command=form.cleaned_data["command"])
    return None


def _no_slip(request: HttpRequest, swiss: Swiss, board: int) -> HttpResponse:
    """Why this board cannot be entered by the viewer now."""
    number = (board - 1) // swiss.boards + 1
    over = Round.objects.filter(swiss=swiss, number=number, state=Round.State.CLOSED).exists()
    context = {
        "section": "events",
        "event": swiss.event,
        "swiss": swiss,
        "board": board,
        "number": number,
        "over": over,
    }
    if _wants_part(request):
        return HttpResponse(headers={"HX-Refresh": "true"})
    status = CONFLICT if request.method == "POST" else 200 if over else 404
    return render(request, "pairs/live/no_slip.html", context, status=status)


# ---- rounds, deals, the big screen


def _swiss_context(
    request: HttpRequest, event_id: int, tab: str
) -> tuple[Swiss, dict[int, Any], dict[str, Any]]:
    swiss = _swiss(event_id)
    _event, pairs, context = views.event_context(request, event_id, tab)
    return swiss, pairs, context | {"swiss": swiss}


@require_safe
def rounds(request: HttpRequest, event_id: int) -> HttpResponse:
    """Every pair's total as the sum of what its rounds brought."""
    swiss, pairs, context = _swiss_context(request, event_id, "rounds")
    seated = selectors.rounds_of(swiss)
    terms = selectors.terms_of(swiss, seated, pairs)
    context |= {"rounds": seated, "terms": terms, "has_penalties": any(each.penalty for each in terms)}
    return render(request, "pairs/live/rounds.html", context)


@require_safe
def round_page(request: HttpRequest, event_id: int, number: int) -> HttpResponse:
    """Who met whom in a round, why, and what it brought; checked on demand."""
    swiss, pairs, context = _swiss_context(request, event_id, "rounds")
    seated = selectors.rounds_of(swiss)
    each = next((each for each in seated if each.number == number), None)
    if each is None:
        raise Http404
    context |= {
        "rounds": seated,
        "page": selectors.round_page(swiss, each, pairs),
        "check": selectors.checked_pairing(each, pairs) if "check" in request.GET else None,
        "is_mp": swiss.event.field.method == "MP" and not swiss.by_vps,
    }
    return render(request, "pairs/live/round.html", context)


@require_safe
def deals(request: HttpRequest, event_id: int) -> HttpResponse:
    """What was promised about the deals before the event, and whether the promise was kept."""
    swiss, _pairs, context = _swiss_context(request, event_id, "deals")
    seal = swiss.seal
    context |= {"seal": seal, "faults": deal_faults(seal) if seal and seal.is_revealed else []}
    return render(request, "pairs/live/deals.html", context)


@require_safe
def deals_file(request: HttpRequest, event_id: int) -> HttpResponse:
    """The record of the deals, for whoever wants to deal them once more."""
    seal = _swiss(event_id).seal
    if seal is None or not seal.is_revealed:
        raise Http404
    response = JsonResponse(deal_record(seal), json_dumps_params={"indent": 1})
    response["Content-Disposition"] = str(
        content_disposition_header(as_attachment=True, filename="deals.json")
    )
    return response


@require_safe
def verify_file(request: HttpRequest) -> HttpResponse:
    """The program that checks a record of deals on any computer."""
    response = render(request, "pairs/live/verify.txt", content_type="text/x-python; charset=utf-8")
    response["Content-Disposition"] = str(
        content_disposition_header(as_attachment=True, filename="verify.py")
    )
    return response


@require_safe
@never_cache
def screen(request: HttpRequest, event_id: int) -> HttpResponse:
    """For the wall of a club room: the clock, who sits where, and after the bell how it stands. It shows no viewer."""
    swiss = _swiss(event_id)
    at = now()
    if request.GET.get("seen") == selectors.version_of(event_id, None, at):
        return _timed(HttpResponse(status=NOTHING_NEW), at)
    live = selectors.live_of(swiss, None)
    context = {
        "event": swiss.event,
        "swiss": swiss,
        "live": live,
        "unit": unit_of(swiss.event),
        "is_mp": swiss.event.field.method == "MP" and not swiss.by_vps,
        "address": request.build_absolute_uri(swiss.event.get_absolute_url()),
    }
    return _timed(render(request, "pairs/live/screen.html", context), live.at)
