"""What a director fills in to change the course of an event, and what each command does."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import uuid4

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.pairs.forms.players import PlayerField
from apps.pairs.forms.start import StartTimeField
from apps.pairs.models import Entrant, Entry, Round, Swiss
from apps.pairs.services import direction, disqualification, penalties, registration
from apps.pairs.services.imports import in_words
from apps.pairs.services.local_time import the_instant
from apps.pairs.services.slips import Said
from apps.results.models import Contestant
from apps.users.forms import LineField, SignedDecimalField, SignedIntegerField
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
    minutes = SignedIntegerField(
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


class PairReasonForm(PairForm):
    """A command about a pair that needs a reason."""

    reason = LineField(label=_("Reason"), max_length=300)


class PenaltyForm(PairReasonForm):
    command = forms.UUIDField(widget=forms.HiddenInput, initial=uuid4)
    points = SignedDecimalField(
        label=_("Points"),
        min_value=-penalties.MOST,
        max_value=penalties.MOST,
        decimal_places=2,
        help_text=_(
            "What is taken off the total, in the points of the event; a negative number gives points back."
        ),
    )
    field_order = ("points", "reason")

    def clean_points(self) -> Decimal:
        points: Decimal = self.cleaned_data["points"]
        if not points:
            raise forms.ValidationError(_("Nothing would change."))
        return points


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
    seen = LineField(widget=forms.HiddenInput, max_length=60)
    word = forms.ChoiceField(label=_("What counts"), widget=forms.RadioSelect)
    result = LineField(
        label=_("Another result"),
        max_length=40,
        required=False,
        help_text=_("Contract, declarer and tricks, such as 4S N +1, 3NTX E −2, or Pass."),
    )
    lead = LineField(label=_("Opening lead"), max_length=4, required=False)
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
        explains: What follows from it, and whether it can be taken back.
        done: What is said when it is done.
        form: What it asks.
        service: Who does it.
        applies: Whether it makes sense as the event stands, and its open round or the pair; the service decides.
        final: Whether it cannot be undone, or means ill to somebody.
    """

    name: str
    title: str | Promise
    explains: str | Promise
    done: str | Promise
    form: Callable[..., Any]
    service: Callable[..., object]
    applies: Callable[[Swiss, Any], bool]
    final: bool = False

    def ask(self, swiss: Swiss, given: Any = None, **initial: Any) -> forms.Form:
        """Its form, empty or with what was given."""
        asked: forms.Form = self.form(given, swiss=swiss, initial=initial, auto_id=f"{self.name}-%s")
        return asked


def _is_open(swiss: Swiss, current: Round | None) -> bool:
    return swiss.state == Swiss.State.RUNNING and current is not None


def _takes_part(swiss: Swiss, entry: Entry | None) -> bool:
    return entry is not None and not swiss.is_over and entry.state != Entry.State.WITHDRAWN


def _may_take_part(swiss: Swiss, entry: Entry | None) -> bool:
    return entry is not None and not swiss.is_over and not _is_disqualified(entry)


def _may_be_penalized(swiss: Swiss, entry: Entry | None) -> bool:
    return entry is not None and swiss.state in BEFORE_FINAL


def _may_be_disqualified(swiss: Swiss, entry: Entry | None) -> bool:
    return entry is not None and swiss.state in BEFORE_FINAL and not _is_disqualified(entry)


def _may_be_reinstated(swiss: Swiss, entry: Entry | None) -> bool:
    return entry is not None and swiss.state in BEFORE_FINAL and _is_disqualified(entry)


def _is_disqualified(entry: Entry) -> bool:
    return entry.contestant.status == Contestant.Status.DISQUALIFIED


BEFORE_FINAL = (Swiss.State.RUNNING, Swiss.State.SUSPENDED, Swiss.State.FINISHED)

COURSE = {
    command.name: command
    for command in (
        Command(
            "time",
            _("Make the round longer or shorter"),
            _(
                "The bell moves, and with it all later rounds. The same number of the other sign takes it back."
            ),
            _("The bell was moved."),
            TimeForm,
            direction.change_time,
            _is_open,
        ),
        Command(
            "bell",
            _("Ring the bell now"),
            _("The round ends at once, and what is not finished is cut. That cannot be taken back."),
            _("The bell rings."),
            CommandForm,
            direction.ring_bell,
            _is_open,
            final=True,
        ),
        Command(
            "open",
            _("Open the next round now"),
            _("All who take part are seated at once, and their time runs. That cannot be taken back."),
            _("The round opens."),
            BriefForm,
            direction.open_next_round,
            lambda swiss, current: swiss.state == Swiss.State.RUNNING and current is None,
        ),
        Command(
            "pair-again",
            _("Seat this round anew"),
            _(
                "All who take part now are seated anew and told. Only while nothing was entered or called in this round. "
                "The seats as they were do not come back."
            ),
            _("The round was seated anew."),
            CommandForm,
            direction.pair_again,
            _is_open,
        ),
        Command(
            "resume",
            _("Let the clock go on"),
            _("Play goes on with the time that was left when the clock stopped, and everybody is told."),
            _("The event goes on with the time that was left."),
            BriefForm,
            direction.resume,
            lambda swiss, _open: swiss.state == Swiss.State.SUSPENDED,
        ),
        Command(
            "suspend",
            _("Stop the clock"),
            _(
                "Nobody loses time: the event waits until somebody lets the clock go on. Everybody is told, and reads the "
                "reason."
            ),
            _("The event waits until somebody lets it go on."),
            CommandForm,
            direction.suspend,
            lambda swiss, _open: swiss.state == Swiss.State.RUNNING,
        ),
        Command(
            "postpone",
            _("Start at another time"),
            _("All who are entered are told. Until the event begins it can be moved again."),
            _("The start was moved."),
            PostponeForm,
            direction.postpone,
            lambda swiss, _open: swiss.state == Swiss.State.ANNOUNCED,
        ),
        Command(
            "rounds",
            _("Play more or fewer rounds"),
            _(
                "Rounds that have begun are played. Until the last one is over the number can be changed again."
            ),
            _("The number of rounds was changed."),
            RoundsForm,
            direction.change_rounds,
            lambda swiss, _open: not swiss.is_over,
        ),
        Command(
            "cancel",
            _("Cancel the event"),
            _(
                "Nothing that was played counts. Everybody is told, and reads the reason. That cannot be taken back: to "
                "stop for a while, stop the clock."
            ),
            _("The event is cancelled."),
            CommandForm,
            direction.cancel,
            lambda swiss, _open: not swiss.is_over,
            final=True,
        ),
        Command(
            "reopen",
            _("Take back that the result is final"),
            _(
                "Results can be corrected for another period, then they are final again by themselves. Ranking and master "
                "points follow every correction."
            ),
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
            "return",
            _("The pair is here"),
            _("It is not missing, and is seated from the next round on if it was not there."),
            _("The pair takes part."),
            PairForm,
            registration.say_present,
            _may_take_part,
        ),
        Command(
            "substitute",
            _("Let a substitute play"),
            _("From now on, at the table too. Boards that were played keep who played them."),
            _("The substitute plays from now on."),
            SubstituteForm,
            registration.substitute,
            _takes_part,
        ),
        Command(
            "withdraw",
            _("Withdraw the pair"),
            _(
                "It is not seated any more, its results stand, and its table on this site ends at once. Before the event begins "
                "its entry is gone, and its players may enter anew; later it comes back when somebody says that it is "
                "here."
            ),
            _("The pair was withdrawn."),
            PairReasonForm,
            registration.withdraw_pair,
            _takes_part,
            final=True,
        ),
        Command(
            "penalty",
            _("Take points off"),
            _(
                "Both players are told, and read the reason; ranking and master points follow. It stays in the log: to take "
                "it back, give the same points."
            ),
            _("Its total changes by %(points)s; both players are told."),
            PenaltyForm,
            penalties.penalize_pair,
            _may_be_penalized,
        ),
        Command(
            "disqualify",
            _("Disqualify the pair"),
            _(
                "It is not seated any more, and has neither rank nor master points; its table on this site ends at once. What "
                "others won or lost against it stands. Both players are told, and read the reason. Until the result is "
                "final it can be taken back, but for a table that has ended."
            ),
            _("The pair is disqualified."),
            PairReasonForm,
            disqualification.disqualify_pair,
            _may_be_disqualified,
            final=True,
        ),
        Command(
            "reinstate",
            _("Take the disqualification back"),
            _(
                "The pair has its rank again, and is seated from the next round on if it took part. Both players are told."
            ),
            _("The pair is not disqualified any more."),
            PairReasonForm,
            disqualification.reinstate_pair,
            _may_be_reinstated,
        ),
        Command(
            "enter",
            _("Enter a pair"),
            _("It can be withdrawn again."),
            _("The pair is entered."),
            EnterForm,
            registration.enter_pair,
            lambda swiss, _entry: not swiss.is_over,
        ),
    )
}
