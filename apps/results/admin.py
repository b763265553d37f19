"""Results for directors. A result is changed by `change_result` and nothing else, with a reason that stays."""

from collections.abc import Collection
from functools import partial
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from apps.clock.admin import AsShown
from apps.results.models import Field, FieldBoard, Result, ResultChange
from apps.results.selectors import doubts_about
from apps.results.services import change_result, contract_of, correct_results
from apps.users.forms import LineField, SignedIntegerField
from apps.users.views import signed_in
from bridge.awards import Ruling
from bridge.contracts import read_contract, result_text
from bridge.errors import BridgeError


class _ReadOnly:
    """Rows that are only looked at here."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Field)
class FieldAdmin(_ReadOnly, admin.ModelAdmin[Field]):
    """The rules are fixed when an event is made: another rule is another event."""

    list_display = ["id", "method", "datum_rule", "expected", "neuberg", "version"]
    list_filter = ["method"]


class RulingField(forms.JSONField):
    """A ruling as JSON; nothing where there is none."""

    def prepare_value(self, value: Any) -> Any:
        return "" if value is None else super().prepare_value(value)


class ResultForm(AsShown):
    """What happened, as a director writes it; and why it is changed. It is one thing: it moves and is written as a whole."""

    contract = LineField(
        label=_("contract and result"), required=False, help_text=_("For instance 4SX N +1, or Pass.")
    )
    score = SignedIntegerField(
        label=_("score"),
        required=False,
        min_value=-7600,
        max_value=7600,
        step_size=10,
        help_text=_("North–South's, when the contract is not known."),
    )
    award = RulingField(
        label=_("ruling"),
        required=False,
        help_text=_('For instance {"ns": {"grade": "A+"}, "ew": {"grade": "A-"}}; empty when there is none.'),
    )
    reason = LineField(label=_("reason"), max_length=300)

    class Meta:
        model = Result
        fields: list[str] = []

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        contract = contract_of(self.instance)
        if contract and contract.declarer is not None and self.instance.tricks is not None:
            ending = result_text(contract, self.instance.tricks)
            self.initial["contract"] = f"{contract.text} {contract.declarer.letter} {ending}"
        elif self.instance.level == 0:
            self.initial["contract"] = "Pass"
        else:
            self.initial["score"] = self.instance.ns_score
        self.initial["award"] = self.instance.ruling

    def written(self) -> Collection[str]:
        return self.fields

    def clean(self) -> dict[str, Any]:
        """The changes for `change_result`, under `changes`."""
        data: dict[str, Any] = super().clean() or {}
        try:
            changes: dict[str, Any] = {"score": data.get("score")}
            if text := data.get("contract"):
                contract, tricks = read_contract(text)
                if contract and (tricks is None or contract.declarer is None):
                    raise ValidationError(
                        {"contract": _("Say who declared and how it ended, for instance 4S N =.")}
                    )
                changes = {"contract": contract, "tricks": tricks, "passed_out": contract is None}
            changes["ruling"] = Ruling.from_json(data["award"]) if data.get("award") else None
        except BridgeError as error:
            raise ValidationError(gettext(error.message), params=error.params) from error
        return data | {"changes": changes}


class _RowsOfNow(forms.BaseInlineFormSet[ResultChange, Result, Any]):
    """Rows that are only looked at: a page that is refused shows those that there are, not as many as it was opened with."""

    def initial_form_count(self) -> int:
        return len(self.get_queryset())

    total_form_count = initial_form_count

    def _construct_form(self, i: int, **kwargs: Any) -> Any:
        return super()._construct_form(i, instance=self.get_queryset()[i], **kwargs)  # type: ignore[misc]


class ResultChangeInline(_ReadOnly, admin.TabularInline[ResultChange, Result]):
    model = ResultChange
    formset = _RowsOfNow
    extra = 0
    fields = ("at", "by", "reason", "before", "after")
    readonly_fields = ("at", "by", "reason", "before", "after")


@admin.register(Result)
class ResultAdmin(admin.ModelAdmin[Result]):
    """Results of boards that are dealt here are not seen before the seed is public: whoever runs a site may play on it."""

    form = ResultForm
    list_display = [
        "id",
        "field_board",
        "ns",
        "ew",
        "kind",
        "level",
        "strain",
        "declarer",
        "tricks",
        "ns_score",
    ]
    list_select_related = ["field_board__field", "field_board__board__board_set", "ns", "ew"]
    list_filter = ["kind", "source"]
    search_fields = ["ns__players__name", "ew__players__name"]
    readonly_fields = ["field_board", "ns", "ew", "kind", "recorded_at"]
    fields = ["field_board", "ns", "ew", "kind", "recorded_at", "contract", "score", "award", "reason"]
    inlines = [ResultChangeInline]
    list_per_page = 50
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Result]:
        dealt = Q(field_board__board__board_set__seal__isnull=False)
        secret = dealt & Q(field_board__board__board_set__seal__revealed_at=None)
        return super().get_queryset(request).exclude(secret)

    def save_model(self, request: HttpRequest, obj: Result, form: Any, change: bool) -> None:
        by, reason = signed_in(request), form.cleaned_data["reason"]
        correction = partial(
            change_result, result_id=obj.pk, by=by, reason=reason, **form.cleaned_data["changes"]
        )
        changed = correct_results(correction, results=[obj.pk], by=by)
        for doubt in doubts_about(changed, contract_of(changed)):
            self.message_user(request, gettext(doubt.message), messages.WARNING)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Result | None = None) -> bool:
        return False


@admin.register(FieldBoard)
class FieldBoardAdmin(_ReadOnly, admin.ModelAdmin[FieldBoard]):
    list_display = ["id", "field", "board", "session", "results_version", "compared_version"]
    list_select_related = ["field", "board__board_set"]
