from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from apps.pairs.models import Event, Session, Standing
from apps.pairs.services.publishing import publish_event, unpublish_event
from apps.pairs.services.ranking import rescore_event
from apps.results.services import reconsider_field
from apps.users.forms import IN_LINES
from apps.users.models import User
from bridge.errors import BridgeError


class SessionInline(admin.TabularInline[Session, Event]):
    model = Session
    extra = 0
    raw_id_fields = ["board_set"]
    formfield_overrides = IN_LINES


@admin.register(Event)
class EventAdmin(admin.ModelAdmin[Event]):
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
    formfield_overrides = IN_LINES
    inlines = [SessionInline]
    actions = ["publish", "unpublish", "rescore"]

    @admin.display(description=_("scoring"), ordering="field__method")
    def method(self, event: Event) -> str:
        return event.field.get_method_display()

    def save_model(self, request: HttpRequest, obj: Event, form: object, change: bool) -> None:
        """What decides the ranking (who finishes, one list or two) may have changed: rank once more."""
        super().save_model(request, obj, form, change)
        reconsider_field(field_id=obj.field_id)

    @admin.action(description=_("Publish"))
    def publish(self, request: HttpRequest, events: "QuerySet[Event]") -> None:
        by = request.user if isinstance(request.user, User) else None
        done = 0
        for event in events:
            try:
                done += publish_event(event_id=event.pk, by=by)
            except BridgeError as error:
                said = gettext(error.message) % error.params
                self.message_user(request, f"{event.title}: {said}", messages.WARNING)
        self._done(request, done)

    @admin.action(description=_("Take back publication"))
    def unpublish(self, request: HttpRequest, events: "QuerySet[Event]") -> None:
        self._done(request, sum(unpublish_event(event_id=event.pk) for event in events))

    @admin.action(description=_("Score again from scratch"))
    def rescore(self, request: HttpRequest, events: "QuerySet[Event]") -> None:
        self._done(request, sum(rescore_event(event_id=event.pk) >= 0 for event in events))

    def _done(self, request: HttpRequest, number: int) -> None:
        said = ngettext("%(number)s event changed.", "%(number)s events changed.", number)
        self.message_user(request, said % {"number": number}, messages.SUCCESS)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Event | None = None) -> bool:
        return False


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
