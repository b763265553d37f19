"""What a director decides at a table."""

from typing import Any
from uuid import uuid4

from django import forms
from django.utils.translation import gettext_lazy as _

from bridge.awards import Grade, Ruling
from bridge.table import AnswerUndo, KeeperAction, PlayOn, Rule, TakeBack

GRADES = [("", "—"), *((grade.value, grade.value) for grade in Grade)]


class DecisionForm(forms.Form):
    """A decision on the board that is being played, with its reason; sent twice, it counts once."""

    act = forms.ChoiceField(
        choices=[
            ("rule", _("the board ends so")),
            ("play_on", _("play goes on")),
            ("take_back", _("take back")),
        ]
    )
    command = forms.UUIDField(widget=forms.HiddenInput, initial=uuid4)
    expect = forms.IntegerField(widget=forms.HiddenInput, required=False, min_value=0)
    tricks = forms.IntegerField(label=_("Declarer's tricks"), required=False, min_value=0, max_value=13)
    ns = forms.ChoiceField(label=_("North–South"), choices=GRADES, required=False)
    ew = forms.ChoiceField(label=_("East–West"), choices=GRADES, required=False)
    calls = forms.IntegerField(label=_("Calls that stay"), required=False, min_value=0)
    cards = forms.IntegerField(label=_("Cards that stay"), required=False, min_value=0)
    reason = forms.CharField(label=_("Reason"), max_length=300)

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if cleaned.get("act") == "rule":
            if bool(cleaned.get("ns")) is not bool(cleaned.get("ew")):
                raise forms.ValidationError(_("A ruling names what each side gets."))
            if not cleaned.get("ns") and cleaned.get("tricks") is None:
                raise forms.ValidationError(_("Say how many tricks declarer gets, or what each side gets."))
        return cleaned

    def action(self) -> KeeperAction | AnswerUndo:
        """The decision, once the form is valid."""
        given = self.cleaned_data
        if given["act"] == "play_on":
            return PlayOn()
        if given["act"] == "take_back":
            return TakeBack(given["calls"] or 0, given["cards"] or 0)
        if given["act"] in ("grant", "refuse"):
            return AnswerUndo(given["act"] == "grant")
        ruling = Ruling(Grade(given["ns"]), Grade(given["ew"])) if given["ns"] else None
        return Rule(given["tricks"], ruling)
