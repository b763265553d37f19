"""The director's side of an event that runs itself. Every page works without JavaScript; with it the state keeps fresh."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from apps.pairs.forms.direction import COURSE, PAIRS, Command, DecideForm
from apps.pairs.models import Event, Swiss
from apps.pairs.selectors import oversight, pairs_of
from apps.pairs.services.direction import Stale
from apps.pairs.services.imports import in_words
from apps.pairs.services.slips import decide_result
from apps.pairs.services.tables import take_results
from apps.pairs.templatetags.figures import taken, who_in_text
from apps.users.views import directors_only, signed_in
from bridge.errors import BridgeError

CONFLICT = 409
UNFIT = 422
RECENT = 20  # entries of the log on the first page


def _swiss(request: HttpRequest, event_id: int) -> Swiss:
    """The event, which only has a course when it is announced. Who plays in it directs it before, and once it is final."""
    announced = Swiss.objects.exclude(event__state=Event.State.DRAFT)
    swiss = get_object_or_404(announced.select_related("event__field"), pk=event_id)
    oversight.refuse_players(swiss.event.field_id, signed_in(request))
    return swiss


@require_safe
@directors_only
def direct(request: HttpRequest, event_id: int) -> HttpResponse:
    """How the event stands, what waits for the director, and what can be done."""
    return _direct(request, _swiss(request, event_id))


@require_safe
@directors_only
def status(request: HttpRequest, event_id: int) -> HttpResponse:
    """How the event stands: the part of the page that fetches itself."""
    seen = request.GET.get("seen", "")
    return render(request, "pairs/_direct_status.html", _status(_swiss(request, event_id), seen))


def _status(swiss: Swiss, seen: str) -> dict[str, Any]:
    version = str(swiss.schedule_version)
    return {
        "event": swiss.event,
        "swiss": swiss,
        "course": oversight.course_of(swiss),
        "seen": seen or version,
        "moved_on": seen not in ("", version),
    }


def _direct(
    request: HttpRequest, swiss: Swiss, tried: Any = None, name: str = "", said: str = "", status: int = 200
) -> HttpResponse:
    context = _status(swiss, "")
    current = context["course"].open
    context |= {
        "section": "events",
        "tab": "direct",
        "commands": [
            (command, tried if command.name == name else command.ask(swiss))
            for command in COURSE.values()
            if command.name == name or command.applies(swiss, current)
        ],
        "said": said,
        "doubtful": oversight.doubtful_boards(swiss),
        "log": oversight.decisions_of(swiss)[:RECENT],
    }
    return render(request, "pairs/direct.html", context, status=status)


@require_POST
@directors_only
def command(request: HttpRequest, event_id: int, name: str) -> HttpResponse:
    """Change the course of the event. Who decided on what it no longer is sees what it is now."""
    swiss = _swiss(request, event_id)
    chosen = _chosen(COURSE, name)
    form = chosen.ask(swiss, request.POST)
    said, status = _do(request, swiss, chosen, form)
    if status == CONFLICT:
        swiss = _swiss(request, event_id)
    return _direct(request, swiss, form, name, said, status) if status else redirect("pairs:direct", event_id)


def _chosen(commands: dict[str, Command], name: str) -> Command:
    if name not in commands:
        raise Http404
    return commands[name]


def _do(request: HttpRequest, swiss: Swiss, command: Command, form: Any) -> tuple[str, int]:
    """Have it done; what went wrong, and the status that says so, or nothing."""
    if not form.is_valid():
        return "", UNFIT
    try:
        done = command.service(event_id=swiss.pk, by=signed_in(request), **form.arguments())
    except Stale as error:
        return in_words(error), CONFLICT
    except BridgeError as error:
        return in_words(error), UNFIT
    if done is False:
        messages.info(request, gettext("That was done before. Nothing has changed."))
    else:
        messages.success(request, _told(swiss, command, form.cleaned_data))
    return "", 0


def _told(swiss: Swiss, command: Command, given: Mapping[str, Any]) -> str:
    """What was done, and to which pair."""
    done = str(command.done)
    if "points" in given:
        done %= {"points": taken(given["points"])}
    if "order" not in given:
        return done
    found = pairs_of(swiss.event.field_id).values()
    names = next(who_in_text(pair) for pair in found if pair.order == given["order"])
    pair = gettext("Pair %(pair)s: %(names)s") % {"pair": given["order"], "names": names}
    return f"{pair} · {done}"


@require_safe
@directors_only
def pairs(request: HttpRequest, event_id: int) -> HttpResponse:
    """Who takes part."""
    return _pairs(request, _swiss(request, event_id))


def _pairs(
    request: HttpRequest, swiss: Swiss, tried: Any = None, name: str = "", said: str = "", status: int = 200
) -> HttpResponse:
    order = request.POST.get("order", "") or request.GET.get("pair", "")
    entered = oversight.entered_pairs(swiss)
    chosen = next((each for each in entered if str(each.order) == order), None)
    initial = {"order": chosen.order} if chosen else {}
    commands = {
        command.name: (command, tried if command.name == name else command.ask(swiss, **initial))
        for command in PAIRS.values()
        if command.name == name or command.applies(swiss, chosen and chosen.entry)
    }
    context = {
        "section": "events",
        "tab": "pairs",
        "event": swiss.event,
        "swiss": swiss,
        "entered": entered,
        "has_penalties": any(each.penalty for each in entered),
        "chosen": chosen,
        "enter": commands.pop("enter", None),
        "commands": commands.values(),
        "said": said,
    }
    return render(request, "pairs/direct_pairs.html", context, status=status)


@require_POST
@directors_only
def pair_command(request: HttpRequest, event_id: int, name: str) -> HttpResponse:
    """Withdraw a pair, let it return, substitute one of its players, disqualify it, or enter one."""
    swiss = _swiss(request, event_id)
    chosen = _chosen(PAIRS, name)
    form = chosen.ask(swiss, request.POST)
    said, status = _do(request, swiss, chosen, form)
    if not status:
        return redirect("pairs:direct_pairs", event_id)
    return _pairs(request, swiss, form, name, said, status)


@directors_only
def decide(request: HttpRequest, event_id: int, number: int, table: int, board: int) -> HttpResponse:
    """What the two sides say of a board, and the director's word."""
    swiss = _swiss(request, event_id)
    place = oversight.board_at_table(swiss, number=number, table=table, board=board)
    if place is None:
        raise Http404
    slip = place.slip
    ns, ew = (slip.ns_says, slip.ew_says) if slip else (None, None)
    form = DecideForm(request.POST or None, ns=ns, ew=ew, initial={"seen": place.seen})
    if request.method == "POST" and form.is_valid():
        if swiss.has_tables:
            take_results(round_id=place.round.pk)  # it stays when the decision is refused, and can be read
        try:
            decide_result(
                event_id=event_id,
                number=number,
                table=table,
                board=board,
                said=form.said,
                by=signed_in(request),
                reason=form.cleaned_data["reason"],
                command=form.cleaned_data["command"],
                seen=form.cleaned_data["seen"],
            )
            return redirect("pairs:direct", event_id)
        except BridgeError as error:
            form.add_error(None, in_words(error))
            place = oversight.board_at_table(swiss, number=number, table=table, board=board) or place
            form.data = request.POST.copy()
            form.data["seen"] = place.seen  # it is what is read now
    context = {"section": "events", "event": swiss.event, "swiss": swiss, "place": place, "form": form}
    return render(request, "pairs/direct_board.html", context, status=UNFIT if form.errors else 200)


@require_safe
@directors_only
def log(request: HttpRequest, event_id: int) -> HttpResponse:
    """What was decided about the event, and by whom; on demand everything that was done."""
    swiss, everything = _swiss(request, event_id), "all" in request.GET
    done = oversight.log_of(swiss) if everything else oversight.decisions_of(swiss)
    context = {
        "section": "events",
        "tab": "log",
        "event": swiss.event,
        "swiss": swiss,
        "everything": everything,
        "log": done[:2000],
    }
    return render(request, "pairs/direct_log.html", context)
