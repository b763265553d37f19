"""Events and their pairs, for administrators.

What happens in an event that runs itself happens on its director's page, and is only looked at here. What can be edited
leaves a trace in the log of the event.
"""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db import models
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from apps.clock.admin import AsShown, OwnColumns
from apps.clock.services import record
from apps.pairs.models import Event, Session, Standing, Swiss
from apps.pairs.selectors.decisions import CHANGED
from apps.pairs.services.publishing import publish_event, unpublish_event
from apps.pairs.services.ranking import rescore_event
from apps.results.models import Contestant, Member, Penalty
from apps.results.services import reconsider_field
from apps.users.forms import IN_LINES
from apps.users.views import signed_in
from bridge.errors import BridgeError


def _changes(form: Any) -> tuple[dict[str, str | bool], dict[str, str | bool]]:
    """What a form that was saved changed, before and after; everything, when its row is deleted."""
    deleted = form.cleaned_data.get("DELETE", False)
    names = form.initial if deleted else form.changed_data
    said = [name for name in names if name in form.fields and not form.fields[name].widget.is_hidden]
    before = {name: _plain(form.initial[name]) for name in said if name in form.initial}
    return before, {} if deleted else {name: _plain(form.cleaned_data[name]) for name in said}


def _plain(value: Any) -> str | bool:
    if isinstance(value, bool):
        return value
    return "" if value is None else str(value.pk if isinstance(value, models.Model) else value)


class _Edited(OwnColumns):
    """Of an event. What is edited is written into its log, and it is ranked once more.

    Where the event runs itself nothing that decides its ranking is edited; `directed` leads to its director's page.
    """

    formfield_overrides = IN_LINES

    def runs_itself(self, obj: Any) -> bool:
        return obj is not None and Swiss.objects.filter(event__field=obj.field_id).exists()

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """The way to the director's page stands first."""
        return sorted(super().get_fields(request, obj), key=lambda name: name != "directed")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        directed = ["directed"] if self.runs_itself(obj) else []
        return [*directed, *super().get_readonly_fields(request, obj)]

    @admin.display(description=_("The event runs itself"))
    def directed(self, obj: Any) -> SafeString:
        event = Event.objects.get(field=obj.field_id)
        address = reverse("pairs:direct_pairs", args=[event.pk])
        return format_html(
            '<a href="{}">{}</a>', address, gettext("What changes it is done on its director's page.")
        )

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        field_id = form.instance.field_id
        for event in Event.objects.select_for_update(no_key=True).filter(field=field_id):
            for each in (form, *(inline for formset in formsets for inline in formset)):
                before, after = _changes(each)
                if before or after:
                    record(
                        actor=signed_in(request),
                        action=CHANGED,
                        subject_kind="pairs.event",
                        subject_id=event.pk,
                        before=self.named(form.instance) | before,
                        after=self.named(form.instance) | after,
                        reason=each.cleaned_data.get("reason", ""),
                    )
        if not self.runs_itself(form.instance):
            reconsider_field(field_id=field_id)

    def named(self, obj: Any) -> dict[str, Any]:
        """What of the event it is."""
        return {}

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class SessionInline(admin.TabularInline[Session, Event]):
    model = Session
    form = AsShown
    extra = 0
    raw_id_fields = ["board_set"]
    formfield_overrides = IN_LINES


@admin.register(Event)
class EventAdmin(_Edited):
    """Who finishes, and one list or two, may change in events that were imported; the words about an event in all."""

    list_display = ["title", "organisation", "played_on", "method", "state", "published_at"]
    list_select_related = ["field"]
    list_filter = ["state", "field__method", "played_on"]
    search_fields = ["title", "organisation", "venue"]
    date_hierarchy = "played_on"
    readonly_fields = [
        "field",
        "state",
        "published_at",
        "published_by",
        "created_by",
        "ranked_version",
        "source",
        "source_key",
    ]
    inlines = [SessionInline]
    actions = ["publish", "unpublish", "rescore"]

    @admin.display(description=_("scoring"), ordering="field__method")
    def method(self, event: Event) -> str:
        return event.field.get_method_display()

    def get_readonly_fields(self, request: HttpRequest, obj: Event | None = None) -> Any:
        rules = ["played_on", "winners", "finish_percent", "awards_masterpoints"]
        return [*super().get_readonly_fields(request, obj), *(rules if self.runs_itself(obj) else [])]

    def get_inlines(self, request: HttpRequest, obj: Event | None) -> Any:
        return [] if self.runs_itself(obj) else super().get_inlines(request, obj)

    @admin.action(description=_("Publish"))
    def publish(self, request: HttpRequest, events: "QuerySet[Event]") -> None:
        by, done = signed_in(request), 0
        for event in events:
            try:
                done += publish_event(event_id=event.pk, by=by)
            except BridgeError as error:
                said = gettext(error.message) % error.params
                self.message_user(request, f"{event.title}: {said}", messages.WARNING)
        self._done(request, done)

    @admin.action(description=_("Take back publication"))
    def unpublish(self, request: HttpRequest, events: "QuerySet[Event]") -> None:
        by = signed_in(request)
        self._done(request, sum(unpublish_event(event_id=event.pk, by=by) for event in events))

    @admin.action(description=_("Score again from scratch"))
    def rescore(self, request: HttpRequest, events: "QuerySet[Event]") -> None:
        self._done(request, sum(rescore_event(event_id=event.pk) >= 0 for event in events))

    def _done(self, request: HttpRequest, number: int) -> None:
        said = ngettext("%(number)s event changed.", "%(number)s events changed.", number)
        self.message_user(request, said % {"number": number}, messages.SUCCESS)


class MemberInline(admin.TabularInline[Member, Contestant]):
    model = Member
    form = AsShown
    extra = 0
    autocomplete_fields = ["player"]


class PenaltyForm(AsShown):
    """A penalty belongs to a session that the event has."""

    def clean_session(self) -> int:
        number: int = self.cleaned_data["session"]
        sessions = Session.objects.filter(event__field__contestants=self.instance.contestant_id)
        if not sessions.filter(number=number).exists():
            raise forms.ValidationError(_("The event has no such session."))
        return number


class PenaltyInline(admin.TabularInline[Penalty, Contestant]):
    model = Penalty
    form = PenaltyForm
    extra = 0
    formfield_overrides = IN_LINES
    readonly_fields = ["given_by", "given_at"]


@admin.register(Contestant)
class ContestantAdmin(_Edited):
    """Pairs of events that were imported can be edited; those of an event that runs itself are only looked at."""

    list_display = ["label", "field", "direction", "status"]
    list_select_related = ["field"]
    list_filter = ["status", "direction"]
    search_fields = ["label", "players__name"]
    readonly_fields = ["field", "order"]
    inlines = [MemberInline, PenaltyInline]

    def named(self, obj: Contestant) -> dict[str, Any]:
        return {"pair": obj.order}

    def has_change_permission(self, request: HttpRequest, obj: Contestant | None = None) -> bool:
        return super().has_change_permission(request, obj) and not self.runs_itself(obj)

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        for inline in formset:
            if isinstance(inline.instance, Penalty) and inline.has_changed():
                inline.instance.given_by = signed_in(request)
                inline.changed_data.append("given_by")
        super().save_formset(request, form, formset, change)


@admin.register(Standing)
class StandingAdmin(admin.ModelAdmin[Standing]):
    """Written by ranking an event: to look at."""

    list_display = ["event", "session", "position", "rank", "contestant", "boards", "penalty", "masterpoints"]
    list_select_related = ["event", "contestant"]
    search_fields = ["event__title", "contestant__label"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Standing | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Standing | None = None) -> bool:
        return False
