"""A director's way from a file to a published event: upload, preview, publish or discard."""

from typing import Any, NoReturn

from django.conf import settings
from django.contrib import messages
from django.core.files.uploadhandler import FileUploadHandler, StopUpload
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_POST

from apps.pairs.forms.imports import DetailsForm, ImportForm
from apps.pairs.models import Event
from apps.pairs.services.imports import (
    all_in_words,
    check_doubt,
    check_size,
    import_record,
    in_words,
    preview_of,
    publish_import,
)
from apps.pairs.services.publishing import discard_event
from apps.users.views import directors_only, signed_in
from bridge.errors import BridgeError


class WithinLimit(FileUploadHandler):
    """Stops files that are larger than events are before anything of the surplus is written.

    A request too large for two such files is not read at all; `stopped` then says why, as it does of a single file.
    """

    stopped: BridgeError | None = None

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(request)
        self.declared = int(request.META.get("CONTENT_LENGTH") or 0)

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        if self.declared > 2 * settings.IMPORT_MAX_BYTES + _REST_OF_FORM:
            self._stop()

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        if start + len(raw_data) > settings.IMPORT_MAX_BYTES:
            self._stop()
        return raw_data

    def file_complete(self, file_size: int) -> None:
        """The next handler keeps the file."""

    def _stop(self) -> NoReturn:
        try:
            check_size(self.declared)
        except BridgeError as error:
            self.stopped = error
        raise StopUpload(connection_reset=False)


_REST_OF_FORM = 2**16


@csrf_exempt  # its check reads the body, which must find the handler in place: `_import_file` does it
@directors_only
def import_file(request: HttpRequest) -> HttpResponse:
    """Read a file into a draft."""
    limit = WithinLimit(request)
    request.upload_handlers.insert(0, limit)
    return _import_file(request, limit)


@csrf_protect
def _import_file(request: HttpRequest, limit: WithinLimit) -> HttpResponse:
    posted = request.method == "POST"
    form = ImportForm(request.POST or None, request.FILES if posted else None)
    if limit.stopped:
        form.files = MultiValueDict()
        form.fields["file"].error_messages["required"] = in_words(limit.stopped)
    if posted and form.is_valid():
        try:
            imported = import_record(
                record=form.record,
                filename=form.cleaned_data["file"].name,
                digest=form.digest,
                by=signed_in(request),
                awards_masterpoints=form.cleaned_data["awards_masterpoints"],
            )
        except BridgeError as error:
            form.add_error("file", all_in_words(error))
        else:
            if not imported.created:
                messages.info(
                    request, _("This file is already there; this is its event. Nothing was changed.")
                )
            return redirect("pairs:preview", imported.event.pk)
    return render(
        request, "pairs/import.html", {"form": form, "section": "import"}, status=422 if form.errors else 200
    )


def _imported() -> "QuerySet[Event]":
    """Those that run themselves are set up and announced on pages of their own."""
    return Event.objects.filter(swiss=None).select_related("field")


@directors_only
def preview(request: HttpRequest, event_id: int) -> HttpResponse:
    """What was read, by which rule it was scored, and what differs."""
    event = get_object_or_404(_imported(), pk=event_id)
    if event.state == Event.State.PUBLISHED:
        return redirect(event)
    return _preview(request, event, DetailsForm(instance=event))


@require_POST
@directors_only
def checked(request: HttpRequest, event_id: int, place: int) -> HttpResponse:
    """Mark a doubtful result as asked about. A second press finds it done."""
    event = get_object_or_404(_imported(), pk=event_id)
    check_doubt(event_id=event.pk, place=place, by=signed_in(request))
    return redirect(f"{reverse('pairs:preview', args=[event.pk])}#doubts")


@require_POST
@directors_only
def publish(request: HttpRequest, event_id: int) -> HttpResponse:
    """Show the event to everybody. A second press finds it done."""
    event = get_object_or_404(_imported(), pk=event_id)
    form = DetailsForm(request.POST, instance=event)
    if event.state == Event.State.DRAFT:
        if not form.is_valid():
            event.refresh_from_db()
            return _preview(request, event, form, status=422)
        if publish_import(event_id=event_id, by=signed_in(request), **form.cleaned_data):
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
    context = {
        "event": event,
        "form": form,
        "section": "events",
        "preview": preview_of(event),
        "several_sessions": event.sessions.count() > 1,
    }
    return render(request, "pairs/preview.html", context, status=status)
