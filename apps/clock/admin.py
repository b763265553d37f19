from collections import Counter
from collections.abc import Collection, Iterable
from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.functional import cached_property
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from apps.clock.models import AuditEntry, DueWork, Outage, Outgoing
from apps.clock.signals import hidden_entries_asked


class ShownField(forms.BoundField):
    """A field of a page that carries what it showed. Where the row has moved since, it shows the row again."""

    @cached_property
    def has_moved(self) -> bool:
        """Whether the row has another value by now than the page showed."""
        if not self.form.is_bound:
            return False
        hidden = self.field.hidden_widget()
        shown = hidden.value_from_datadict(self.form.data, self.form.files, self.html_initial_name)
        try:
            return self.field.has_changed(self.field.to_python(shown), self.field.prepare_value(self.initial))
        except ValidationError:  # what was shown is not there any more
            return True

    @cached_property
    def differs(self) -> bool:
        """Whether what was sent is not what the row has by now."""
        return self.field.has_changed(self.initial, self.data)

    def _has_changed(self) -> bool:
        """Two who make the same of a row agree: the second has changed nothing."""
        return super()._has_changed() and self.differs  # type: ignore[misc]

    def value(self) -> Any:
        return self.field.prepare_value(self.initial) if self.has_moved else super().value()

    def as_hidden(self, attrs: Any = None, *, only_initial: bool = False, **kwargs: Any) -> SafeString:
        """Django sends on what the page carried; a page that is refused carries what it shows instead."""
        if only_initial and self.has_moved:
            widget, own = self.field.hidden_widget(), {"id": self.html_initial_id}
            return widget.render(self.html_initial_name, self.value(), own, self.form.renderer)
        return super().as_hidden(attrs, only_initial=only_initial, **kwargs)


class AsShown(forms.ModelForm[Any]):
    """Edits a row as its page showed it. What was left alone stays as the row has it by now.

    What was edited here and became something else meanwhile is refused, and stands there as it is now.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance._state.adding:
            return
        for field in self.fields.values():
            if not (field.disabled or field.widget.is_hidden):
                field.show_hidden_initial, field.bound_field_class = True, ShownField

    def written(self) -> Collection[str]:
        """The fields that saving writes."""
        return self.changed_data

    def _post_clean(self) -> None:
        columns = {column.name for column in self.instance._meta.concrete_fields}
        written = self.written()
        for field in [field for field in self if isinstance(field, ShownField)]:
            if field.name in written:
                if field.has_moved and field.differs:
                    self.add_error(field.name, _OVERTAKEN)
            elif field.name in columns:
                self.cleaned_data[field.name] = getattr(self.instance, field.name)
            else:
                self.cleaned_data.pop(field.name, None)
        super()._post_clean()  # type: ignore[misc]  # where Django puts what was cleaned into the row


_OVERTAKEN = _(
    "This was changed elsewhere while you were editing. It stands here as it is now; change it again if it is to be "
    "otherwise."
)


class OwnColumns(admin.ModelAdmin[Any]):
    """What is edited is written, and nothing else of the row: services may have changed that since the page was read.

    Its inlines have the form too.
    """

    form = AsShown

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """How many rows of each kind go or stand in the way, and not what they say: who looks may play there."""
        _listed, counts, forbidden, protected = super().get_deleted_objects(objs, request)
        kinds = Counter(each.partition(":")[0] for each in protected)
        in_the_way = [f"{kind}: {number}" for kind, number in kinds.items()]
        return [str(each) for each in objs], counts, forbidden, in_the_way

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
