"""Tables are run by their services; here they are looked at, and nothing here shows a card.

What was said at a table is shown when the table is over: who administers the site may play there. Who plays in the same
event sees nothing of its tables before its result is final: the boards may still lie at others.
"""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from apps.clock.admin import ReadOnly
from apps.tables.models import DirectorCall, Table, TableWord
from apps.tables.signals import hidden_tables_asked


class OfTables(ReadOnly):
    """Tables, or what is at them, without those of an event in which the reader plays."""

    table = "table"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        found = super().get_queryset(request)
        for _receiver, hidden in hidden_tables_asked.send(sender=Table, user=request.user):
            found = found.exclude(**{f"{self.table}__in": hidden})
        return found


@admin.register(Table)
class TableAdmin(OfTables):
    table = "pk"
    list_display = ["id", "purpose", "occasion", "title", "state", "why", "version", "opened_at", "closes_at"]
    list_filter = ["state", "purpose"]
    search_fields = ["subject", "title"]


class SaidAtTable(OfTables):
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
