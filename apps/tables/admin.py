"""Tables are run by their services; here they are looked at, and nothing here shows a card."""

from django.contrib import admin

from apps.clock.admin import ReadOnly
from apps.tables.models import DirectorCall, Table, TableWord


@admin.register(Table)
class TableAdmin(ReadOnly):
    list_display = ["id", "purpose", "occasion", "title", "state", "why", "version", "opened_at", "closes_at"]
    list_filter = ["state", "purpose"]
    search_fields = ["subject", "title"]


@admin.register(TableWord)
class TableWordAdmin(ReadOnly):
    list_display = ["at", "table", "seat", "user", "to", "text"]
    list_select_related = ["table", "user"]
    search_fields = ["text", "user__username"]


@admin.register(DirectorCall)
class DirectorCallAdmin(ReadOnly):
    list_display = ["at", "table", "seat", "text", "settled_at", "settled_by"]
    list_select_related = ["table", "settled_by"]
