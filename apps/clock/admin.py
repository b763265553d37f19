from collections.abc import Iterable
from typing import Any

from django.contrib import admin
from django.db import models
from django.db.models import QuerySet
from django.http import HttpRequest

from apps.clock.models import AuditEntry, DueWork, Outage, Outgoing
from apps.clock.signals import hidden_entries_asked


class OwnColumns(admin.ModelAdmin[Any]):
    """What is edited is written, and nothing else of the row: services may have changed that since the form was read."""

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if change:
            _write(obj, form.changed_data)
        else:
            super().save_model(request, obj, form, change)

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        formset.save(commit=False)
        for deleted in formset.deleted_objects:
            deleted.delete()
        for edited, names in formset.changed_objects:
            _write(edited, names)
        for new in formset.new_objects:
            new.save()
        formset.save_m2m()


def _write(row: models.Model, names: Iterable[str]) -> None:
    columns = {field.name for field in row._meta.concrete_fields}
    row.save(update_fields=columns.intersection(names))


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

    def get_queryset(self, request: HttpRequest) -> QuerySet[AuditEntry]:
        """What is said there of a board is not for who may still play it, though he runs the site."""
        entries: QuerySet[AuditEntry] = super().get_queryset(request)
        for _receiver, hidden in hidden_entries_asked.send(sender=AuditEntry, user=request.user):
            entries = entries.exclude(hidden)
        return entries


@admin.register(Outage)
class OutageAdmin(ReadOnly):
    list_display = ["began_at", "seconds", "handled"]
