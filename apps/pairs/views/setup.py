"""An administrator's way to an event that runs itself: fill in, look at what it means, announce, perhaps every week."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from apps.clock.time import now
from apps.pairs.files.ical import event_ics
from apps.pairs.forms.setup import AnnounceForm, SwissForm, initial_of, next_time, proposed_plan
from apps.pairs.models import Event, Series, Swiss
from apps.pairs.selectors.oversight import all_series, decisions_of, events_played_by
from apps.pairs.services.imports import in_words
from apps.pairs.services.outlook import outlook_of
from apps.pairs.services.publishing import discard_event
from apps.pairs.services.series import create_series, stop_series
from apps.pairs.services.setup import announce_swiss, change_swiss, create_swiss, plan_of
from apps.users.views import directors_only, number_in, signed_in
from bridge.errors import BridgeError


def _swiss(event_id: int) -> Swiss:
    return get_object_or_404(Swiss.objects.select_related("event__field", "series", "seal"), pk=event_id)


@directors_only
def new(request: HttpRequest) -> HttpResponse:
    """Fill in an event, from what is usual or from an event that is to be copied."""
    copied = number_in(request.GET, "copy")
    plan = proposed_plan() if copied is None else next_time(plan_of(_swiss(copied)))
    form = SwissForm(request.POST or None, initial=initial_of(plan))
    if request.method == "POST" and form.is_valid():
        key = f"form-{form.cleaned_data['key']}"
        try:
            swiss = create_swiss(plan=form.plan, by=signed_in(request), key=key)
            return redirect("pairs:setup", swiss.pk)
        except BridgeError as error:
            form.add_error(None, in_words(error))
    return _form(request, form)


@directors_only
def change(request: HttpRequest, event_id: int) -> HttpResponse:
    """Change what was filled in, as long as the event has not begun."""
    swiss = _swiss(event_id)
    form = SwissForm(
        request.POST or None, initial=initial_of(plan_of(swiss)), weekly=swiss.series_id is not None
    )
    expected = number_in(request.POST, "expected")
    if request.method == "POST" and form.is_valid():
        try:
            change_swiss(
                event_id=event_id,
                plan=form.plan,
                expected=-1 if expected is None else expected,
                by=signed_in(request),
            )
        except BridgeError as error:
            form.add_error(None, in_words(error))
        else:
            messages.success(request, _("Saved."))
            return redirect("pairs:setup", event_id)
    return _form(request, form, swiss)


def _form(request: HttpRequest, form: SwissForm, swiss: Swiss | None = None) -> HttpResponse:
    context = {"section": "events", "form": form, "swiss": swiss, "event": swiss and swiss.event}
    return render(request, "pairs/setup_form.html", context, status=422 if form.errors else 200)


@require_safe
@directors_only
def setup(request: HttpRequest, event_id: int) -> HttpResponse:
    """What the event will be: its timetable, what its figures mean, and the way to announce it."""
    return _setup(request, _swiss(event_id), AnnounceForm())


def _setup(request: HttpRequest, swiss: Swiss, form: AnnounceForm, status: int = 200) -> HttpResponse:
    plan = plan_of(swiss)
    plays = events_played_by(signed_in(request)).filter(pk=swiss.pk).exists()
    is_ahead = swiss.state == Swiss.State.ANNOUNCED
    goes_on = is_ahead or swiss.state == Swiss.State.RUNNING
    outlook = outlook_of(plan, list(swiss.all_rounds.order_by("number")), goes_on=goes_on)
    context: dict[str, Any] = {
        "section": "events",
        "event": swiss.event,
        "swiss": swiss,
        "plan": plan,
        "outlook": outlook,
        "advice": [_(each.message) % each.params for each in outlook.advice] if is_ahead else [],
        "invited": swiss.invited.order_by("name"),
        "log": [] if plays else decisions_of(swiss)[:20],
        "form": form,
        "is_draft": swiss.event.state == Event.State.DRAFT,
        "is_ahead": is_ahead,
    }
    return render(request, "pairs/setup.html", context, status=status)


@require_POST
@directors_only
def announce(request: HttpRequest, event_id: int) -> HttpResponse:
    """Show the event to everybody, once or every week. A second press finds it done."""
    swiss = _swiss(event_id)
    form = AnnounceForm(request.POST)
    if not form.is_valid():
        return _setup(request, swiss, form, status=422)
    try:
        if form.cleaned_data["weekly"]:
            series = create_series(
                event_id=event_id, last_date=form.cleaned_data["last_date"], by=signed_in(request)
            )
            number = series.events.count()
            said = ngettext("%(number)s event is announced.", "%(number)s events are announced.", number)
            messages.success(request, said % {"number": number})
            return redirect("pairs:series")
        announce_swiss(event_id=event_id, by=signed_in(request))
    except BridgeError as error:
        form.add_error(None, in_words(error))
        return _setup(request, _swiss(event_id), form, status=422)
    messages.success(request, _("The event is announced. The clock starts it; nobody has to be there."))
    return redirect("pairs:setup", event_id)


@require_POST
@directors_only
def discard_draft(request: HttpRequest, event_id: int) -> HttpResponse:
    """Throw away what was filled in and never announced."""
    if not discard_event(event_id=_swiss(event_id).pk):
        messages.warning(request, _("The event is announced and stays. It can be cancelled."))
        return redirect("pairs:setup", event_id)
    messages.success(request, _("The draft was discarded."))
    return redirect("pairs:events")


@require_safe
@directors_only
def series(request: HttpRequest) -> HttpResponse:
    """The series with the events that are to come."""
    return render(request, "pairs/series.html", {"section": "events", "listed": all_series(now())})


@require_POST
@directors_only
def stop(request: HttpRequest, series_id: int) -> HttpResponse:
    """Let a series end with what is announced."""
    if stop_series(series_id=get_object_or_404(Series, pk=series_id).pk, by=signed_in(request)):
        messages.success(request, _("The series ends with the events that are announced."))
    return redirect("pairs:series")


@require_safe
def event_ics_file(request: HttpRequest, event_id: int) -> HttpResponse:
    """The event for a calendar; there for everybody once it is announced."""
    swiss = _swiss(event_id)
    if swiss.event.state == Event.State.DRAFT:
        raise Http404
    url = request.build_absolute_uri(swiss.event.get_absolute_url())
    content = event_ics(swiss, url=url, host=request.get_host().partition(":")[0], stamp=now())
    response = HttpResponse(content, content_type="text/calendar; charset=utf-8")
    response["Content-Disposition"] = str(content_disposition_header(True, f"event-{event_id}.ics"))
    return response
