from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from apps.clock.models import AuditEntry, DueWork, Outage, Outgoing


class ReadOnly(admin.ModelAdmin[Any]):
    """To look at, never to edit."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(DueWork)
class DueWorkAdmin(ReadOnly):
    list_display = ["due_at", "kind", "subject", "number", "state", "attempts", "last_error"]
    list_filter = ["state", "kind"]
    search_fields = ["=subject"]


@admin.register(Outgoing)
class OutgoingAdmin(ReadOnly):
    list_display = ["created_at", "kind", "key", "claimed_at", "sent_at", "last_error"]
    list_filter = ["kind", ("sent_at", admin.EmptyFieldListFilter)]
    search_fields = ["key"]


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnly):
    list_display = ["at", "actor_name", "action", "subject_kind", "subject_id", "reason"]
    list_filter = ["action", "subject_kind"]
    search_fields = ["actor_name", "=subject_id"]


@admin.register(Outage)
class OutageAdmin(ReadOnly):
    list_display = ["began_at", "seconds", "handled"]
