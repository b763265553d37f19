"""What a director decides, and says, at a table."""

from typing import Any
from uuid import UUID, uuid4

from django import forms
from django.utils.translation import gettext_lazy as _

from apps.users.forms import LineField
from bridge.awards import Grade, Ruling
from bridge.table import AnswerUndo, KeeperAction, PlayOn, Rule, TakeBack

GRADES = [("", "—"), *((grade.value, grade.value) for grade in Grade)]


class CommandField(forms.UUIDField):
    """The id of a command, drawn with its form: what is sent twice is done once."""

    widget = forms.HiddenInput

    def __init__(self) -> None:
        super().__init__(initial=uuid4)

    def clean(self, value: Any) -> UUID:
        command: UUID = super().clean(value)
        if command.version != 4:  # those of version 5 are the table's keeper's
            raise forms.ValidationError(_("This is not a command."))
        return command


class DecisionForm(forms.Form):
    """A decision on the board that is being played, with its reason; sent twice, it counts once."""

    act = forms.ChoiceField(
        choices=[
            ("rule", _("the board ends so")),
            ("play_on", _("play goes on")),
            ("take_back", _("take back")),
            ("grant", _("what a player wants back may be taken back")),
            ("refuse", _("what a player wants back stays")),
        ]
    )
    command = CommandField()
    expect = forms.IntegerField(widget=forms.HiddenInput, required=False, min_value=0)
    tricks = forms.IntegerField(label=_("Declarer's tricks"), required=False, min_value=0, max_value=13)
    ns = forms.ChoiceField(label=_("North–South"), choices=GRADES, required=False)
    ew = forms.ChoiceField(label=_("East–West"), choices=GRADES, required=False)
    calls = forms.IntegerField(label=_("Calls that stay"), required=False, min_value=0)
    cards = forms.IntegerField(label=_("Cards that stay"), required=False, min_value=0)
    reason = LineField(label=_("Reason"), max_length=300)

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


class WordForm(forms.Form):
    """Something that a director says to a table; sent twice, it is said once."""

    command = CommandField()
    text = LineField(label=_("Say to the table"), max_length=300)


class QuestionForm(forms.Form):
    """A question to the director about a board that is over; sent twice, it is asked once."""

    command = CommandField()
    text = LineField(label=_("What happened"), max_length=300)


class AnswerForm(forms.Form):
    """Why a result stands that was asked about. It is answered once, however often this is sent."""

    call = forms.IntegerField(widget=forms.HiddenInput)
    reason = LineField(label=_("Reason, for both sides"), max_length=300)


class OffForm(forms.Form):
    """Why a table is called off. It is called off once, however often this is sent."""

    reason = LineField(label=_("Reason"), max_length=300)
