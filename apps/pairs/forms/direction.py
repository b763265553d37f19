"""What a director fills in to change the course of an event, and what each command does."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import uuid4

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.pairs.forms.players import PlayerField
from apps.pairs.forms.start import StartTimeField
from apps.pairs.models import Entrant, Round, Swiss
from apps.pairs.services import direction, registration
from apps.pairs.services.imports import in_words
from apps.pairs.services.local_time import the_instant
from apps.pairs.services.slips import Said
from apps.users.forms import LineField
from apps.users.models import Player
from bridge.errors import BridgeError


class CommandForm(forms.Form):
    """What every command carries: which course of the event it was decided on, and why."""

    expected = forms.IntegerField(widget=forms.HiddenInput)
    reason = LineField(label=_("Reason"), max_length=300)

    def __init__(self, *args: Any, swiss: Swiss, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.swiss = swiss

    def arguments(self) -> dict[str, Any]:
        """What the service is called with."""
        return self.cleaned_data


class BriefForm(CommandForm):
    """A command that may go without a reason."""

    reason = LineField(label=_("Reason"), max_length=300, required=False)


class TimeForm(BriefForm):
    minutes = forms.IntegerField(
        label=_("Minutes"),
        min_value=-600,
        max_value=600,
        initial=5,
        help_text=_("A negative number makes it shorter. Later rounds follow."),
    )
    field_order = ("minutes", "reason")


class RoundsForm(CommandForm):
    rounds = forms.IntegerField(label=_("Rounds in all"), min_value=1, max_value=40)
    field_order = ("rounds", "reason")


class PostponeForm(CommandForm):
    start_date = forms.DateField(
        label=_("Day of the start"), widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )
    start_time = StartTimeField()
    field_order = ("start_date", "start_time", "reason")

    def __init__(self, *args: Any, swiss: Swiss, **kwargs: Any) -> None:
        super().__init__(*args, swiss=swiss, **kwargs)
        self.fields["start_time"].help_text = swiss.zone

    def clean(self) -> dict[str, Any]:
        given = dict(self.cleaned_data)
        if "start_date" in given and "start_time" in given:
            local = datetime.combine(given.pop("start_date"), given.pop("start_time"))
            try:
                given["starts_at"] = the_instant(local, self.swiss.tz)
            except BridgeError as error:
                self.add_error("start_time", in_words(error))
            given["local_start"] = f"{local:%Y-%m-%dT%H:%M}"
        return given


class EntriesForm(forms.Form):
    """A command about who takes part."""

    def __init__(self, *args: Any, swiss: Swiss, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.swiss = swiss

    def arguments(self) -> dict[str, Any]:
        return self.cleaned_data


class PairForm(EntriesForm):
    """A pair of the event by its number."""

    order = forms.IntegerField(widget=forms.HiddenInput)


class WithdrawForm(PairForm):
    reason = LineField(label=_("Reason"), max_length=300)


class SubstituteForm(PairForm):
    out = forms.ModelChoiceField(Player.objects.none(), label=_("Who leaves"))
    into = PlayerField(
        label=_("Who comes"), help_text=_("A name, a number, or # and the number of the page.")
    )
    reason = LineField(label=_("Reason"), max_length=300, required=False)

    def __init__(self, *args: Any, swiss: Swiss, **kwargs: Any) -> None:
        super().__init__(*args, swiss=swiss, **kwargs)
        order, out = str(self["order"].value()), self.fields["out"]
        assert isinstance(out, forms.ModelChoiceField)  # noqa: S101 - it is declared above
        pair = Entrant.objects.filter(
            swiss=swiss, entry__contestant__order=int(order) if order.isdecimal() and len(order) < 10 else 0
        )
        out.queryset = Player.objects.filter(entrants__in=pair).order_by("name")


class EnterForm(EntriesForm):
    """Two players whom the director enters as a pair."""

    first = PlayerField(
        label=_("First player"), help_text=_("A name, a number, or # and the number of the page.")
    )
    second = PlayerField(label=_("Second player"))
    present = forms.BooleanField(label=_("They are here"), required=False, initial=True)

    def arguments(self) -> dict[str, Any]:
        given = self.cleaned_data
        return {"players": [given["first"], given["second"]], "present": given["present"]}


class DecideForm(forms.Form):
    """What counts on a board, by the director's word."""

    command = forms.UUIDField(widget=forms.HiddenInput, initial=uuid4)
    version = forms.IntegerField(widget=forms.HiddenInput, min_value=0, max_value=2**31 - 1)
    word = forms.ChoiceField(label=_("What counts"), widget=forms.RadioSelect)
    result = forms.CharField(
        label=_("Another result"),
        max_length=40,
        required=False,
        help_text=_("Contract, declarer and tricks, such as 4S N +1, 3NTX E -2, or Pass."),
    )
    lead = forms.CharField(label=_("Opening lead"), max_length=4, required=False)
    reason = LineField(label=_("Reason"), max_length=300)

    said: Said

    def __init__(
        self, *args: Any, ns: dict[str, str] | None, ew: dict[str, str] | None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.words = {side: said for side, said in (("NS", ns), ("EW", ew)) if said}
        labels = {"NS": _("as North–South say"), "EW": _("as East–West say")}
        word = self.fields["word"]
        assert isinstance(word, forms.ChoiceField)  # noqa: S101 - it is declared above
        word.choices = [*((side, labels[side]) for side in self.words), ("other", _("another result"))]
        word.initial = "other"

    def clean(self) -> dict[str, Any]:
        given = dict(self.cleaned_data)
        word = given.get("word")
        if word in self.words:
            self.said = Said(**self.words[word])
        elif word == "other":
            try:
                self.said = Said.read(given.get("result", ""), given.get("lead", ""))
            except BridgeError as error:
                self.add_error("result", in_words(error))
        return given


@dataclass(frozen=True, slots=True)
class Command:
    """Something that a director can do.

    Attributes:
        name: As its address has it.
        title: What it does.
        form: What it asks.
        service: Who does it.
        applies: Whether it makes sense as the event stands; the service decides.
        final: Whether it cannot be undone.
    """

    name: str
    title: str | Promise
    done: str | Promise
    form: Callable[..., Any]
    service: Callable[..., object]
    applies: Callable[[Swiss, Round | None], bool] = lambda _swiss, _open: True
    final: bool = False

    def ask(self, swiss: Swiss, given: Any = None, **initial: Any) -> forms.Form:
        """Its form, empty or with what was given."""
        asked: forms.Form = self.form(given, swiss=swiss, initial=initial, auto_id=f"{self.name}-%s")
        return asked


def _is_open(swiss: Swiss, current: Round | None) -> bool:
    return swiss.state == Swiss.State.RUNNING and current is not None


COURSE = {
    command.name: command
    for command in (
        Command(
            "time",
            _("Make the round longer or shorter"),
            _("The bell was moved."),
            TimeForm,
            direction.change_time,
            _is_open,
        ),
        Command(
            "bell",
            _("Ring the bell now"),
            _("The bell rings."),
            CommandForm,
            direction.ring_bell,
            _is_open,
            final=True,
        ),
        Command(
            "open",
            _("Open the next round now"),
            _("The round opens."),
            BriefForm,
            direction.open_next_round,
            lambda swiss, current: swiss.state == Swiss.State.RUNNING and current is None,
        ),
        Command(
            "pair-again",
            _("Seat this round anew"),
            _("The round was seated anew."),
            CommandForm,
            direction.pair_again,
            _is_open,
        ),
        Command(
            "resume",
            _("Let the clock go on"),
            _("The event goes on with the time that was left."),
            BriefForm,
            direction.resume,
            lambda swiss, _open: swiss.state == Swiss.State.SUSPENDED,
        ),
        Command(
            "suspend",
            _("Stop the clock"),
            _("The event waits until somebody lets it go on."),
            CommandForm,
            direction.suspend,
            lambda swiss, _open: swiss.state == Swiss.State.RUNNING,
        ),
        Command(
            "postpone",
            _("Start at another time"),
            _("The start was moved."),
            PostponeForm,
            direction.postpone,
            lambda swiss, _open: swiss.state == Swiss.State.ANNOUNCED,
        ),
        Command(
            "rounds",
            _("Play more or fewer rounds"),
            _("The number of rounds was changed."),
            RoundsForm,
            direction.change_rounds,
            lambda swiss, _open: not swiss.is_over,
        ),
        Command(
            "cancel",
            _("Cancel the event"),
            _("The event is cancelled."),
            CommandForm,
            direction.cancel,
            lambda swiss, _open: not swiss.is_over,
            final=True,
        ),
        Command(
            "reopen",
            _("Take back that the result is final"),
            _("Results can be corrected again."),
            CommandForm,
            direction.reopen_corrections,
            lambda swiss, _open: swiss.state == Swiss.State.OFFICIAL,
        ),
    )
}
PAIRS = {
    command.name: command
    for command in (
        Command(
            "withdraw", _("Withdraw"), _("The pair was withdrawn."), WithdrawForm, registration.withdraw_pair
        ),
        Command("return", _("Is here"), _("The pair takes part."), PairForm, registration.say_present),
        Command(
            "substitute",
            _("Substitute"),
            _("The substitute plays from now on."),
            SubstituteForm,
            registration.substitute,
        ),
        Command("enter", _("Enter a pair"), _("The pair is entered."), EnterForm, registration.enter_pair),
    )
}
