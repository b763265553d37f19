from django.contrib import admin
from django.http import HttpRequest

from apps.masterpoints.models import Award


@admin.register(Award)
class AwardAdmin(admin.ModelAdmin[Award]):
    """A ledger: to look at, never to edit."""

    list_display = ["awarded_at", "player", "event", "entry", "rank", "points", "reason"]
    list_select_related = ["player", "event"]
    search_fields = ["player__name", "event__title"]
    list_filter = ["awarded_at"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Award | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Award | None = None) -> bool:
        return False
