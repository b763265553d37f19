"""A director's way from a file to a published event: upload, preview, publish or discard."""

from collections.abc import Callable
from functools import wraps

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from apps.pairs.forms import DetailsForm, ImportForm
from apps.pairs.models import Event
from apps.pairs.services.imports import import_record, in_words, preview_of, publish_import
from apps.pairs.services.publishing import discard_event
from apps.users.models import User
from bridge.errors import BridgeError

View = Callable[..., HttpResponse]


def directors_only(view: View) -> View:
    """Sign-in first; who does not direct gets a sentence and nothing else."""

    @wraps(view)
    @login_required
    def guarded(request: HttpRequest, *args: int, **kwargs: int) -> HttpResponse:
        if not _user(request).directs:
            raise PermissionDenied(_("Only directors import and publish events."))
        return view(request, *args, **kwargs)

    return guarded


def _user(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # noqa: S101 - `directors_only` asked for a sign-in
    return request.user


@directors_only
def import_file(request: HttpRequest) -> HttpResponse:
    """Read a file into a draft."""
    form = ImportForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            imported = import_record(
                record=form.record,
                filename=form.cleaned_data["file"].name,
                digest=form.digest,
                by=_user(request),
                awards_masterpoints=form.cleaned_data["awards_masterpoints"],
            )
        except BridgeError as error:
            form.add_error("file", in_words(error))
        else:
            if not imported.created:
                messages.info(
                    request, _("This file is already there; this is its event. Nothing was changed.")
                )
            return redirect("pairs:preview", imported.event.pk)
    return render(
        request, "pairs/import.html", {"form": form, "section": "events"}, status=422 if form.errors else 200
    )


@directors_only
def preview(request: HttpRequest, event_id: int) -> HttpResponse:
    """What was read, by which rule it was scored, and what differs."""
    event = get_object_or_404(Event.objects.select_related("field"), pk=event_id)
    if event.state == Event.State.PUBLISHED:
        return redirect(event)
    return _preview(request, event, DetailsForm(instance=event))


@require_POST
@directors_only
def publish(request: HttpRequest, event_id: int) -> HttpResponse:
    """Show the event to everybody. A second press finds it done."""
    event = get_object_or_404(Event.objects.select_related("field"), pk=event_id)
    form = DetailsForm(request.POST, instance=event)
    if event.state == Event.State.DRAFT:
        if not form.is_valid():
            event.refresh_from_db()
            return _preview(request, event, form, status=422)
        if publish_import(event_id=event_id, by=_user(request), **form.cleaned_data):
            messages.success(request, _("The event is published."))
    return redirect(event)


@require_POST
@directors_only
def discard(request: HttpRequest, event_id: int) -> HttpResponse:
    """Throw a draft away with all that was read."""
    event = get_object_or_404(Event, pk=event_id)
    if not discard_event(event_id=event_id):
        messages.warning(request, _("The event is or was published and stays."))
        return redirect(event)
    messages.success(request, _("The draft was discarded."))
    return redirect("pairs:import")


def _preview(request: HttpRequest, event: Event, form: DetailsForm, status: int = 200) -> HttpResponse:
    context = {"event": event, "form": form, "section": "events", "preview": preview_of(event)}
    return render(request, "pairs/preview.html", context, status=status)
