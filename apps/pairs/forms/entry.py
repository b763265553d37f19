"""What players fill in: the contract pad of the score slip."""

from typing import Any
from uuid import uuid4

from django import forms
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from apps.pairs.services.imports import in_words
from apps.pairs.services.slips import Said
from apps.users.forms import LineField
from bridge.errors import BridgeError

PASSED_OUT = "P"
SUITS = [("S", "♠"), ("H", "♥"), ("D", "♦"), ("C", "♣")]
RANKS = [(rank, rank.replace("T", "10")) for rank in "AKQJT98765432"]
SYMBOLS = str.maketrans("♠♥♦♣", "SHDC", "\ufe0e")


class SlipForm(forms.Form):
    """A contract with declarer and result: by the keys, or typed. A clean form that is complete knows what is `said`."""

    command = forms.UUIDField(widget=forms.HiddenInput, initial=uuid4)
    level = forms.ChoiceField(
        label=_("Level"),
        choices=[*((str(n), n) for n in range(1, 8)), (PASSED_OUT, pgettext_lazy("a board", "Passed out"))],
        required=False,
        widget=forms.RadioSelect,
    )
    strain = forms.ChoiceField(
        label=_("Strain"),
        choices=[("C", "♣"), ("D", "♦"), ("H", "♥"), ("S", "♠"), ("NT", _("NT"))],
        required=False,
        widget=forms.RadioSelect,
    )
    doubling = forms.ChoiceField(
        label=_("Doubled"),
        choices=[("", pgettext_lazy("a contract", "no")), ("X", "X"), ("XX", "XX")],
        required=False,
        widget=forms.RadioSelect,
    )
    declarer = forms.ChoiceField(
        label=_("Declarer"),
        choices=[("N", _("North")), ("E", _("East")), ("S", _("South")), ("W", _("West"))],
        required=False,
        widget=forms.RadioSelect,
    )
    ending = forms.ChoiceField(
        label=_("Result"),
        choices=[
            ("=", "="),
            *((f"+{n}", f"+{n}") for n in range(1, 7)),
            *((f"-{n}", f"−{n}") for n in range(1, 8)),
        ],
        required=False,
        widget=forms.RadioSelect,
    )
    lead_suit = forms.ChoiceField(
        label=_("Opening lead: suit"), choices=SUITS, required=False, widget=forms.RadioSelect
    )
    lead_rank = forms.ChoiceField(
        label=_("Opening lead: card"), choices=RANKS, required=False, widget=forms.RadioSelect
    )
    text = LineField(
        label=_("Contract and result"),
        max_length=40,
        required=False,
        help_text=_("Contract, declarer and tricks, such as 4S N +1, 3NTX E −2, or Pass."),
    )
    lead = LineField(
        label=_("Opening lead"),
        max_length=4,
        required=False,
        help_text=_("For instance HQ; may be left empty."),
    )

    said: Said | None = None

    @property
    def pads(self) -> list[forms.BoundField]:
        return [self[name] for name in ("level", "strain", "doubling", "declarer", "ending")]

    @property
    def missing(self) -> str:
        """What has to be chosen next, until the word is complete."""
        given = self.cleaned_data if self.is_bound and hasattr(self, "cleaned_data") else {}
        for name in ("level", "strain", "declarer", "ending"):
            if not given.get(name):
                return gettext("Next: %(what)s") % {"what": self.fields[name].label}
        return ""

    @property
    def shown(self) -> str:
        """The word as the page showed it with its score: only that is saved."""
        return f"{self.said.text} {self.said.lead}".strip() if self.said else ""

    def clean(self) -> dict[str, Any]:
        given = dict(self.cleaned_data)
        text = given.get("text", "").strip() or self._chosen(given)
        lead = given.get("lead", "").strip() or given.get("lead_suit", "") + given.get("lead_rank", "")
        if not self.errors and text:
            try:
                self.said = Said.read(text, lead.translate(SYMBOLS) if len(lead) > 1 else "")
            except BridgeError as error:
                self.add_error(None, in_words(error))
        return given

    @staticmethod
    def _chosen(given: dict[str, Any]) -> str:
        """What the keys say, once enough of them are pressed."""
        if given.get("level") == PASSED_OUT:
            return "Pass"
        if not all(given.get(name) for name in ("level", "strain", "declarer", "ending")):
            return ""
        return f"{given['level']}{given['strain']}{given.get('doubling', '')} {given['declarer']} {given['ending']}"


class InviteForm(forms.Form):
    """A partner by name. The id goes before the name: it comes with a name that was suggested."""

    name = LineField(label=_("Name of your partner"), max_length=120)
