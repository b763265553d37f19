"""Tables: the lobby, the table's page, its commands and views. No cache on the way keeps what they answer."""

from collections.abc import Callable
from functools import wraps
from uuid import UUID

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.core.handlers.exception import response_for_exception
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.cache import add_never_cache_headers, patch_vary_headers
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_POST, require_safe

from apps.boards.selectors import deal_faults, deal_record
from apps.clock.time import now
from apps.tables import selectors
from apps.tables.analysis import analysis_of, last_meaning, may_be_analysed, moment_of
from apps.tables.forms import AnswerForm, DecisionForm, OffForm, QuestionForm, WordForm
from apps.tables.models import Sitting, Table, TableBoard
from apps.tables.protocol import (
    LONGEST,
    AskToAct,
    CallDirector,
    Command,
    Leave,
    Ready,
    Say,
    TakeBackCall,
    read_command,
    read_settings,
    record_view,
    view_of,
    view_to_json,
)
from apps.tables.refusals import Closed, Refused, Stale
from apps.tables.services import (
    afterwards,
    again,
    closing,
    oversight,
    playing,
    practice,
    presence,
    seating,
    talk,
)
from apps.tables.services.playing import Done
from apps.users.models import Player, User
from apps.users.services import keep_table_settings
from apps.users.views import directors_only, number_in, signed_in
from bridge.auction import LONGEST_AUCTION
from bridge.errors import BridgeError
from bridge.seats import Seat
from bridge.table import Viewer

NOTHING_NEW = 204
View = Callable[..., HttpResponseBase]


def unkept(view: View) -> View:
    """Whatever it answers, refusals too, is for this viewer alone and now: no cache keeps it."""

    @wraps(view)
    def kept_by_nobody(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        try:
            response = view(request, *args, **kwargs)
        except (Http404, PermissionDenied) as refusal:
            response = response_for_exception(request, refusal)
        add_never_cache_headers(response)
        patch_vary_headers(response, ["Cookie"])
        return response

    return kept_by_nobody


def in_words(error: BridgeError) -> str:
    """What is wrong, in the reader's language."""
    return _(error.message) % error.params if error.params else _(error.message)


def _player_of(user: User) -> Player:
    """Under which name a user plays.

    Raises:
        Refused: The user has not said it.
    """
    player = Player.objects.filter(user=user).first()
    if player is None:
        raise Refused("Say in your preferences under which name you play.")
    return player


# ---- the lobby


@require_safe
@unkept
def lobby(request: HttpRequest) -> HttpResponse:
    """The tables with a free seat, for everybody to see; to sit down a visitor signs in."""
    user = request.user if isinstance(request.user, User) else None
    mine = list(selectors.with_sittings(selectors.tables_of(user))) if user else []
    tables = list(selectors.with_sittings(selectors.tables_to_join(practice.PRACTICE)))
    player = Player.objects.filter(user=user).first() if user else None
    return render(
        request,
        "tables/lobby.html",
        {
            "mine": mine,
            "tables": [table for table in tables if table not in mine],
            "player": player,
            "calls": len(selectors.calls_for_director(user)) if user and user.directs else 0,
            "can_open": player is not None and not any(table.casual for table in mine),
        },
    )


@require_POST
@unkept
def play(request: HttpRequest) -> HttpResponse:
    """A seat at once, with robots in the other three. A visitor becomes a guest, whom the session alone knows."""
    user = request.user if isinstance(request.user, User) else None
    try:
        player, table = practice.play_now(
            user=user and _player_of(user).user,
            address=get_adapter(request).get_client_ip(request),
            language="",  # as the browser asks, and where it is
            time_zone="",
        )
    except BridgeError as error:
        messages.error(request, in_words(error))
        return redirect("tables:lobby")
    if user is None:
        login(request, player, backend="django.contrib.auth.backends.ModelBackend")
    return redirect(table)


@require_POST
@unkept
@login_required
def open_table(request: HttpRequest) -> HttpResponse:
    try:
        table = practice.open_practice_table(player=_player_of(signed_in(request)))
    except BridgeError as error:
        messages.error(request, in_words(error))
        return redirect("tables:lobby")
    return redirect(table)


@require_POST
@unkept
@login_required
def sit(request: HttpRequest, table: UUID) -> HttpResponse:
    place = selectors.table_for(user=signed_in(request), uuid=table)
    try:
        seating.take_seat(
            table_id=table, seat=request.POST.get("seat", ""), player=_player_of(signed_in(request))
        )
    except BridgeError as error:
        messages.error(request, in_words(error))
    return redirect(place.table)


@require_POST
@unkept
@login_required
def robots(request: HttpRequest, table: UUID) -> HttpResponse:
    """Robots on the seats of a practice table that are free."""
    place = selectors.table_for(user=signed_in(request), uuid=table)
    if place.sitting is None:
        return redirect(place.table)
    try:
        seating.call_robots(table_id=place.table.pk, user=place.user)
    except BridgeError as error:
        messages.error(request, in_words(error))
    return redirect(place.table)


@require_POST
@unkept
@login_required
def leave(request: HttpRequest, table: UUID) -> HttpResponse:
    place = selectors.table_for(user=signed_in(request), uuid=table)
    if place.sitting is None:
        return redirect("tables:lobby")
    try:
        seating.leave_seat(table_id=table, user=place.user)
    except BridgeError as error:
        messages.error(request, in_words(error))
    still_there = selectors.seat_of(user=place.user, table=place.table)
    return redirect(place.table) if still_there else redirect("tables:lobby")


# ---- the table


@require_safe
@unkept
@sensitive_variables()
def table(request: HttpRequest, table: UUID) -> HttpResponse:
    """The table with all that its viewer may see of it now."""
    if not request.user.is_authenticated:
        messages.info(
            request,
            _(
                "Behind this address four people play bridge: sign in to take your seat, or to look on where the "
                "table is open to everybody."
            ),
        )
        return redirect_to_login(request.get_full_path())
    place, viewer = _seen_from(request, table)
    if place.sitting:
        presence.see_request(place.sitting)
    snapshot = selectors.snapshot(table_id=place.table.pk)
    return render(
        request,
        "tables/table.html",
        {
            "table": place.table,
            "seat": place.sitting and place.sitting.seat,
            "view": view_of(snapshot, viewer),
            "live": f"{settings.LIVE_URL}{request.path}".rstrip("/") if settings.LIVE_URL else "",
            "can_sit": place.table.free if viewer is Viewer.PUBLIC else [],
            "settings": place.user.table_settings,
            "decision": DecisionForm(initial={"expect": snapshot.table.version})
            if viewer is Viewer.DIRECTOR
            else None,
            "word": WordForm() if viewer is Viewer.DIRECTOR else None,
        },
    )


def _seen_from(request: HttpRequest, table: UUID) -> tuple[selectors.Place, Seat | Viewer]:
    """Who asks for a table, and as what. A director who asks for all hands is written down.

    Raises:
        Http404: It is not for this user.
        PermissionDenied: The director may not direct this one.
    """
    user = signed_in(request)
    place = selectors.place_at(user=user, uuid=table)
    if place and user.directs and request.GET.get("as") == "director":
        oversight.look(table=place.table, by=user)
        return place, Viewer.DIRECTOR
    if place is None or place.viewer is None:
        raise Http404
    return place, place.viewer


@require_safe
@unkept
@sensitive_variables()
def view(request: HttpRequest, table: UUID) -> HttpResponse:
    """What changed since a version, as the viewer may see it; nothing when nothing has. It never waits."""
    if not request.user.is_authenticated:
        return _refusal("signed out", _("Please sign in."), 401)
    try:
        place, viewer = _seen_from(request, table)
    except Http404:
        return _refusal("unknown", _("There is no such table."), 404)
    except PermissionDenied as refusal:
        return _refusal("forbidden", str(refusal), 403)
    if place.sitting:
        presence.see_request(place.sitting)
    since = number_in(request.GET, "since")
    if since is not None and since >= place.table.version:
        return HttpResponse(status=NOTHING_NEW)
    snapshot = selectors.snapshot(table_id=place.table.pk)
    return HttpResponse(view_to_json(snapshot, viewer), content_type="application/json")


def _refusal(why: str, say: str, status: int, **more: object) -> JsonResponse:
    return JsonResponse({"why": why, "say": say, **more}, status=status)


@require_POST
@unkept
@sensitive_variables()
def do(request: HttpRequest, table: UUID) -> HttpResponse:
    """A player's command. The answer says what became of it; the same command again has the same answer."""
    if not request.user.is_authenticated:
        return _refusal("signed out", _("Please sign in."), 401)
    if int(request.META.get("CONTENT_LENGTH") or 0) > LONGEST:
        return _refusal("malformed", _("This is not a command."), 400)
    try:
        command = read_command(request.body)
    except BridgeError as error:
        return _refusal("malformed", in_words(error), 400)
    user = signed_in(request)
    try:
        done = _do(table, user, command)
    except (Table.DoesNotExist, Sitting.DoesNotExist):
        return _refusal("unknown", _("There is no such table."), 404)
    except (Stale, Closed) as error:
        why = "stale" if isinstance(error, Stale) else "closed"
        return _refusal(why, in_words(error), 409, v=selectors.version_of(table))
    except BridgeError as error:
        return _refusal("illegal", in_words(error), 422, v=selectors.version_of(table))
    return JsonResponse({"v": done.version, "dup": done.again})


@sensitive_variables()
def _do(table: UUID, user: User, command: Command) -> Done:
    match command.act:
        case Say(to, text):
            return talk.say(table_id=table, user=user, command=command.id, to=to, text=text)
        case CallDirector(text):
            return talk.call_director(table_id=table, user=user, command=command.id, text=text)
        case TakeBackCall():
            return talk.take_back_call(table_id=table, user=user)
        case Ready():
            return seating.be_ready(table_id=table, user=user)
        case Leave(stay):
            return seating.leave_seat(table_id=table, user=user, stay=stay)
        case AskToAct():
            return playing.prompt(table_id=table, user=user)
        case action:
            return playing.act(
                table_id=table, user=user, command=command.id, expect=command.expect, action=action
            )


@require_safe
@unkept
@sensitive_variables()
def board(request: HttpRequest, table: UUID, position: int) -> HttpResponse:
    """A board that is over, with all its cards: for those who played it, who direct, and everybody once all have played it."""
    user = request.user if isinstance(request.user, User) else None
    try:
        played = selectors.finished_board(user=user, uuid=table, position=position)
    except Http404:
        if user is None:  # it may be one of the own
            return redirect_to_login(request.get_full_path())
        raise
    view = record_view(selectors.record_of(played), user)
    directs = selectors.may_direct(table=played.table, user=user)
    context = {
        "table": played.table,
        "board": played,
        "view": view,
        "questions": selectors.questions_about(table_board=played, user=user),
        "question": QuestionForm()
        if view["me"] and not selectors.why_no_question(table_board=played, seat=view["me"])
        else None,
        "answer": AnswerForm() if directs else None,
        "correction": selectors.correction_page_of(played) if directs else "",
        "verdict": selectors.verdict_of(played),
        "can_analyse": may_be_analysed(played),
        "settings": user.table_settings if user else {},
        "back_to": played.table.get_absolute_url()
        if view["me"] or played.table.casual
        else played.table.back,
    }
    return render(request, "tables/board.html", context)


@require_safe
@unkept
@sensitive_variables()
def analysis(request: HttpRequest, table: UUID, position: int) -> HttpResponse:
    """What could have been made of a board: for everybody, once nobody can play it any more, and for nobody before."""
    user = request.user if isinstance(request.user, User) else None
    try:
        played = selectors.finished_board(user=user, uuid=table, position=position)
    except Http404:
        if user is None:
            return redirect_to_login(request.get_full_path())
        raise
    if not may_be_analysed(played):
        raise Http404
    record = selectors.record_of(played)
    me = record.seat_of(user)
    found = analysis_of(record, me=me)
    at = number_in(request.GET, "at", digits=3)
    context = {
        "table": played.table,
        "board": played,
        "result": found.result,
        "players": record.players,
        "names": {seat: player.name for seat, player in record.players.items()},
        "me": me,
        "analysis": found,
        "moment": None if at is None else moment_of(found, record, at),
        "first_card": len(found.calls),
        "can_play_again": me is not None and played.table.casual,
        "goes_on": me is not None and not played.table.is_over,
    }
    return render(request, "tables/analysis.html", context)


@require_POST
@unkept
@login_required
def play_again(request: HttpRequest, table: UUID, position: int) -> HttpResponse:
    """The same board at a table of one's own, from a call or card on."""
    user = signed_in(request)
    played = selectors.finished_board(user=user, uuid=table, position=position)
    try:
        opened = again.play_again(
            table_board=played, player=_player_of(user), place=number_in(request.POST, "place", digits=3) or 0
        )
    except BridgeError as error:
        messages.error(request, in_words(error))
        return redirect("tables:analysis", table, position)
    return redirect(opened)


@require_safe
@unkept
def system(request: HttpRequest) -> HttpResponse:
    """What the last call of an auction means by the house system. It follows from the calls: no table is asked."""
    try:
        meaning = last_meaning(
            dealer=request.GET.get("dealer", ""),
            vulnerable=request.GET.get("vulnerable", ""),
            calls=request.GET.get("calls", "").split()[: LONGEST_AUCTION + 1],
        )
    except BridgeError as error:
        return _refusal("malformed", in_words(error), 400)
    return JsonResponse({"meaning": meaning})


@require_POST
@unkept
@login_required
def ask(request: HttpRequest, table: UUID, position: int) -> HttpResponse:
    """Ask the director about a board that is over."""
    user = signed_in(request)
    played = selectors.finished_board(user=user, uuid=table, position=position)
    form = QuestionForm(request.POST)
    if not form.is_valid():
        messages.error(request, _errors_of(form))
        return redirect(played)
    try:
        afterwards.ask_afterwards(table_board_id=played.pk, user=user, **form.cleaned_data)
    except BridgeError as error:
        messages.error(request, in_words(error))
    else:
        messages.success(request, _("The director is asked. Both sides read the answer here."))
    return redirect(played)


@require_POST
@unkept
@directors_only
def answer(request: HttpRequest, table: UUID, position: int) -> HttpResponse:
    """Let a result stand that a side has asked about."""
    user = signed_in(request)
    played = get_object_or_404(
        TableBoard.objects.select_related("table"), table__uuid=table, position=position
    )
    selectors.check_director(table=played.table, user=user)
    form = AnswerForm(request.POST)
    if not form.is_valid():
        messages.error(request, _errors_of(form))
        return redirect(played)
    asked = get_object_or_404(
        selectors.questions_about(table_board=played, user=user), pk=form.cleaned_data["call"]
    )
    try:
        is_new = afterwards.let_stand(call_id=asked.pk, by=user, reason=form.cleaned_data["reason"])
    except BridgeError as error:
        messages.error(request, in_words(error))
    else:
        if not is_new:
            messages.info(request, _("This was answered before; that answer stays."))
    return redirect(played)


@require_safe
@unkept
@login_required
def deals(request: HttpRequest, table: UUID) -> HttpResponse:
    """What was promised about the deals of a casual table, and once it is over whether the promise was kept."""
    found = selectors.sealed_board(user=signed_in(request), uuid=table)
    seal = found.board.board_set.seal
    faults = deal_faults(seal) if seal and seal.is_revealed else []
    return render(request, "tables/deals.html", {"table": found.table, "seal": seal, "faults": faults})


@require_safe
@unkept
@login_required
def deals_file(request: HttpRequest, table: UUID) -> HttpResponse:
    """The record of the deals of a casual table, for whoever wants to deal them once more."""
    seal = selectors.sealed_board(user=signed_in(request), uuid=table).board.board_set.seal
    if seal is None or not seal.is_revealed:
        raise Http404
    response = JsonResponse(deal_record(seal), json_dumps_params={"indent": 1})
    response["Content-Disposition"] = 'attachment; filename="deals.json"'
    return response


@require_POST
@unkept
def settings_of_player(request: HttpRequest) -> HttpResponse:
    """What a player likes at the table; kept with the account."""
    if not request.user.is_authenticated:
        return _refusal("signed out", _("Please sign in."), 401)
    if int(request.META.get("CONTENT_LENGTH") or 0) > LONGEST:
        return _refusal("malformed", _("This is not a command."), 400)
    try:
        chosen = read_settings(request.body)
    except BridgeError as error:
        return _refusal("malformed", in_words(error), 400)
    keep_table_settings(user=signed_in(request), chosen=chosen)
    return HttpResponse(status=204)


# ---- directors


@require_safe
@unkept
@directors_only
def calls(request: HttpRequest) -> HttpResponse:
    """The tables that ask for the director, and for how long they have waited."""
    waiting = selectors.calls_for_director(signed_in(request))
    return render(request, "tables/calls.html", {"calls": waiting, "now": now()})


@require_POST
@unkept
@directors_only
def direct(request: HttpRequest, table: UUID) -> HttpResponse:
    """What a director decides at a table."""
    user = signed_in(request)
    found = get_object_or_404(Table, uuid=table)
    selectors.check_director(table=found, user=user)
    said = _direct(request, found, user)
    if said:
        messages.error(request, said)
    return redirect(f"{found.get_absolute_url()}?as=director")


def _errors_of(form: Form) -> str:
    return " ".join(str(error) for errors in form.errors.values() for error in errors)


def _direct(request: HttpRequest, found: Table, user: User) -> str:
    """Have it decided; why not, where it cannot be."""
    act = request.POST.get("act")
    form_class = {"say": WordForm, "void": OffForm}.get(act or "", DecisionForm)
    form = form_class(request.POST)
    try:
        if act == "settle":
            talk.settle_calls(table_id=found.pk, by=user)
        elif not form.is_valid():
            return _errors_of(form)
        elif isinstance(form, OffForm):
            closing.void_table(table_id=found.pk, by=user, **form.cleaned_data)
        elif isinstance(form, WordForm):
            talk.say_as_director(table_id=found.pk, by=user, **form.cleaned_data)
        elif isinstance(form, DecisionForm):
            given = form.cleaned_data
            oversight.decide(
                table_id=found.pk,
                by=user,
                command=given["command"],
                action=form.action(),
                reason=given["reason"],
                expect=given["expect"],
            )
    except BridgeError as error:
        return in_words(error)
    return ""
