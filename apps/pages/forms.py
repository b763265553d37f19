"""The score calculator."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from apps.users.forms import LineField
from bridge.contracts import Contract, read_contract, result_text
from bridge.errors import BridgeError
from bridge.scoring import duplicate_score, score_parts

PARTS = {
    "tricks": _("tricks bid and made"),
    "overtricks": _("overtricks"),
    "undertricks": _("undertricks"),
    "part score": _("part score"),
    "game": _("game bonus"),
    "slam": _("slam bonus"),
    "insult": _("for making a doubled contract"),
}


class CalculatorForm(forms.Form):
    """A contract as anybody writes it, and what it scores. A contract without a result counts as just made."""

    contract = LineField(
        label=_("Contract and result"),
        max_length=40,
        help_text=_("For instance 4SX +1, 3NT=, 6♥ −2 or pass."),
        widget=forms.TextInput(
            attrs={"placeholder": "4SX +1", "autocomplete": "off", "autocapitalize": "characters"}
        ),
    )
    vulnerable = forms.BooleanField(label=_("vulnerable"), required=False)

    def clean_contract(self) -> tuple[Contract | None, int]:
        try:
            contract, tricks = read_contract(self.cleaned_data["contract"])
        except BridgeError as error:
            raise ValidationError(gettext(error.message), params=error.params) from None
        if contract is None:
            return None, 0
        return contract, contract.tricks_needed if tricks is None else tricks

    @property
    def answer(self) -> dict[str, Any] | None:
        """The score and its parts; None before a contract was given, or when it cannot be."""
        if not self.is_bound or not self.is_valid():
            return None
        (contract, tricks), vulnerable = self.cleaned_data["contract"], self.cleaned_data["vulnerable"]
        parts = score_parts(contract, tricks, vulnerable=vulnerable) if contract else {}
        return {
            "contract": f"{contract.text} {result_text(contract, tricks)}"
            if contract
            else gettext("passed out"),
            "score": duplicate_score(contract, tricks, vulnerable=vulnerable),
            "parts": [(PARTS[name], points) for name, points in parts.items()],
        }
