from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from apps.tables.models import DirectorCall, Table, TableWord


class ToLookAt(admin.ModelAdmin[Any]):
    """Tables are run by their services; here they are looked at, and nothing here shows a card."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(Table)
class TableAdmin(ToLookAt):
    list_display = ["pk", "purpose", "occasion", "title", "state", "why", "version", "opened_at", "closes_at"]
    list_filter = ["state", "purpose"]
    search_fields = ["subject", "title"]


@admin.register(TableWord)
class TableWordAdmin(ToLookAt):
    list_display = ["at", "table", "seat", "user", "to", "text"]
    list_select_related = ["table", "user"]
    search_fields = ["text", "user__username"]


@admin.register(DirectorCall)
class DirectorCallAdmin(ToLookAt):
    list_display = ["at", "table", "seat", "text", "settled_at", "settled_by"]
    list_select_related = ["table", "settled_by"]
