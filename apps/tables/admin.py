"""Tables are run by their services; here they are looked at, and nothing here shows a card.

What was said at a table is shown when the table is over: who administers the site may play there.
"""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from apps.clock.admin import ReadOnly
from apps.tables.models import DirectorCall, Table, TableWord


@admin.register(Table)
class TableAdmin(ReadOnly):
    list_display = ["id", "purpose", "occasion", "title", "state", "why", "version", "opened_at", "closes_at"]
    list_filter = ["state", "purpose"]
    search_fields = ["subject", "title"]


class SaidAtTable(ReadOnly):
    """What was said at tables that are over."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).filter(table__state=Table.State.OVER)


@admin.register(TableWord)
class TableWordAdmin(SaidAtTable):
    list_display = ["at", "table", "seat", "user", "to", "text"]
    list_select_related = ["table", "user"]
    search_fields = ["text", "user__username"]


@admin.register(DirectorCall)
class DirectorCallAdmin(SaidAtTable):
    list_display = ["at", "table", "seat", "text", "settled_at", "settled_by"]
    list_select_related = ["table", "settled_by"]
