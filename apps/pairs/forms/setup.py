"""What an administrator fills in to set up an event that runs itself, each setting explained beside its field."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4
from zoneinfo import ZoneInfo

from django import forms
from django.forms.boundfield import BoundField
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from apps.clock.time import now
from apps.pairs.forms.players import PlayersField
from apps.pairs.forms.start import StartTimeField
from apps.pairs.models import Swiss
from apps.pairs.services.imports import in_words
from apps.pairs.services.setup import BOUNDS, Plan, faults_of
from apps.results.models import Field
from apps.users.forms import LineField, ZoneField
from bridge.comparison import Method

HEADINGS = {
    "title": _("The event"),
    "start_date": _("When"),
    "rounds": _("Rounds"),
    "play": _("The table"),
    "method": _("Scoring"),
    "admission": _("Entries"),
    "presence_minutes": _("Nobody in charge"),
}
"""What stands above the fields from this one on; they are read in the order in which the form declares them."""


class SwissForm(forms.Form):
    """A form that is valid holds the plan."""

    key = forms.UUIDField(widget=forms.HiddenInput, initial=uuid4)
    title = LineField(
        label=pgettext_lazy("of an event", "Name"),
        max_length=200,
        help_text=_("As it stands in lists, notices and the ranking."),
    )
    organisation = LineField(
        label=_("Organiser"), max_length=200, required=False, help_text=_("A club, for instance.")
    )
    awards_masterpoints = forms.BooleanField(
        label=_("Awards master points"),
        required=False,
        help_text=_(
            "When the last round ends: 3 to each player of the first pair, 2 to the next three pairs, 1 to the other"
            " places in the upper half, ten places at most."
        ),
    )
    min_finishers = forms.IntegerField(
        label=_("Master points from so many finishers on"),
        help_text=_(
            "With fewer pairs in the ranking nobody gets any. 1: there are always some. 4 keeps a few friends from making"
            " points for one another."
        ),
    )
    start_date = forms.DateField(
        label=_("Day of the start"),
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text=_("The day on the clocks of the zone; the event stands under it in all lists."),
    )
    start_time = StartTimeField(
        help_text=_("What the clocks of the zone show. Round 1 opens then, by itself."),
    )
    zone = ZoneField(
        help_text=_(
            "The start stays at this hour when the clocks of the zone change. Everybody sees it in their own zone too."
        ),
    )
    rounds = forms.IntegerField(label=_("Rounds"), help_text=_("In each round a pair meets another pair."))
    boards = forms.IntegerField(
        label=_("Boards a round"), help_text=_("The same boards are played at every table.")
    )
    minutes = forms.IntegerField(
        label=_("Minutes a round"),
        help_text=_("Then the bell rings, whatever is unfinished. 7 to 8 minutes a board are usual."),
    )
    pause = forms.IntegerField(
        label=_("Minutes between rounds"),
        help_text=_("To read the standings and to find the next table."),
    )
    play = forms.ChoiceField(
        label=_("Where it is played"),
        choices=Swiss.Play.choices,
        help_text=_(
            "Here: everybody bids and plays in the browser, and results come from the tables by themselves. At real tables:"
            " one side enters what happened, the other confirms it."
        ),
    )
    undo = forms.ChoiceField(
        label=_("A slip in the auction may be taken back by consent of"),
        choices=Swiss.Undo.choices,
        help_text=_(
            "Before partner has called. A card that was played stays played. Only at tables of this site."
        ),
    )
    stop = forms.BooleanField(
        label=_("A pause after a jump bid"),
        required=False,
        help_text=_(
            "The next player waits eight seconds, as after a stop card. Only at tables of this site."
        ),
    )
    turn_seconds = forms.IntegerField(
        label=_("Seconds for a call or card"),
        required=False,
        help_text=_(
            "Then the director is called to the table, and two minutes later the board is broken off. Empty: no limit. "
            "Only at tables of this site."
        ),
    )
    method = forms.ChoiceField(
        label=_("Scoring"),
        choices=Field.Method.choices,
        help_text=_(
            "IMPs against the datum: against the average of the board without its wildest results. Cross-IMPs:"
            " against every other result, averaged. Total IMPs: the same, added up. Matchpoints: how many pairs"
            " you beat, whatever by."
        ),
    )
    by_vps = forms.BooleanField(
        label=_("Victory points by round"),
        required=False,
        help_text=_(
            "The IMPs of a round become 0 to 20 victory points, so that one wild board decides less. With IMPs"
            " against the datum or cross-IMPs, and best with 5 boards a round or more."
        ),
    )
    cut = forms.ChoiceField(
        label=_("A board that is not finished at the bell scores"),
        choices=Swiss.Cut.choices,
        help_text=_(
            "It is never played later, and does not count as completed. By the clock: who used over 60 % of the time, and"
            " two minutes more than the others, gets average minus; the others get average plus when they kept within"
            " their half of the time, else average. When neither side was slower, both get average."
        ),
    )
    finish_percent = forms.IntegerField(
        label=_("Percent of the boards to finish"),
        help_text=_("Who completes fewer boards stands below the ranking, without a place. From 60 to 80."),
    )
    barometer = forms.BooleanField(
        label=_("Scores are shown during the round"),
        required=False,
        help_text=_("A barometer. Otherwise they are hidden from everybody until the round closes."),
    )
    admission = forms.ChoiceField(
        label=_("Who may enter"),
        choices=Swiss.Admission.choices,
        help_text=_("A list is for a final, or for the players of one club."),
    )
    invited = PlayersField(
        label=_("List of players"),
        required=False,
        help_text=_("One a line: a name, a membership number, or # and the number of the player's page."),
    )
    min_pairs = forms.IntegerField(
        label=_("At least so many pairs"),
        help_text=_("With fewer at the start the event is called off, and all who entered are told."),
    )
    max_pairs = forms.IntegerField(
        label=_("At most so many pairs"), required=False, help_text=_("Empty: no limit.")
    )
    late_until = forms.IntegerField(
        label=_("Late entry up to round"),
        help_text=_(
            "1: nobody enters after the start. 3: a pair may enter until round 3 opens; the rounds it missed bring"
            " it nothing."
        ),
    )
    hold = forms.IntegerField(
        label=_("Seconds to hold both hands up"),
        help_text=_(
            "Two who sit opposite each other at the desk are entered when both hands were up so long."
        ),
    )
    presence_minutes = forms.IntegerField(
        label=_("Presence check, minutes before the start"),
        help_text=_("From then on pairs say that they are there. 0: nobody is asked."),
    )
    grace = forms.IntegerField(
        label=_("Minutes to wait for those who are missing"),
        help_text=_("After a presence check: then round 1 opens without them, and they may still come."),
    )
    after_outage = forms.ChoiceField(
        label=_("After a long interruption of the service"),
        choices=Swiss.AfterOutage.choices,
        help_text=_(
            "Up to 15 minutes are given back by themselves. After more the event waits half an hour for a director;"
            " when none comes, this is done."
        ),
    )
    correction_minutes = forms.IntegerField(
        label=_("Correction period in minutes"),
        help_text=_(
            "Ranking and master points are there when the last round ends. So long results can still be corrected;"
            " then they are final. While the director has not answered what was asked they wait, for as long again and"
            " 24 hours at the most."
        ),
    )

    plan: Plan

    def __init__(self, *args: Any, weekly: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.weekly = weekly
        for name, (least, most) in BOUNDS.items():  # what is outside them is told by the plan
            self.fields[name].widget.attrs |= {"min": least, "max": most}

    def groups(self) -> list[tuple[str, list[BoundField]]]:
        """The fields under their headings."""
        groups: list[tuple[str, list[BoundField]]] = []
        for field in self.visible_fields():
            if field.name in HEADINGS:
                groups.append((str(HEADINGS[field.name]), []))
            groups[-1][1].append(field)
        return groups

    def clean(self) -> dict[str, Any]:
        """Make the plan; what is wrong with it stands beside the field that has to change."""
        given = dict(self.cleaned_data)
        if self.errors:
            return given
        chosen = {
            name: value for name, value in given.items() if name not in ("key", "start_date", "start_time")
        }
        chosen["method"] = Method(given["method"])
        chosen["local_start"] = datetime.combine(given["start_date"], given["start_time"])
        self.plan = Plan(**chosen)
        for name, refused in faults_of(self.plan, weekly=self.weekly).items():
            self.add_error("start_time" if name == "local_start" else name, in_words(refused))
        return given


def initial_of(plan: Plan) -> dict[str, Any]:
    """A plan as the form shows it."""
    shown = plan.as_json()
    start = shown.pop("local_start")
    return shown | {"start_date": start.date(), "start_time": start.time()}


def proposed_plan() -> Plan:
    """What an empty form proposes: tomorrow evening in the reader's zone."""
    zone = timezone.get_current_timezone_name()
    tomorrow = now().astimezone(ZoneInfo(zone)) + timedelta(days=1)
    start = tomorrow.replace(hour=20, minute=0, second=0, microsecond=0, tzinfo=None)
    return Plan(title="", zone=zone, local_start=start, play=Swiss.Play.TABLES)


def next_time(plan: Plan) -> Plan:
    """The same event at the same hour of its weekday, the first time that is to come after it."""
    start = plan.local_start + timedelta(weeks=1)
    here = now().astimezone(ZoneInfo(plan.zone)).replace(tzinfo=None)
    while start <= here:
        start += timedelta(weeks=1)
    return replace(plan, local_start=start)


class AnnounceForm(forms.Form):
    """Whether the event comes back."""

    weekly = forms.BooleanField(
        label=_("Every week at this hour"),
        required=False,
        help_text=_(
            "This event is announced at once, and so are those that begin within four weeks from today; each later one"
            " about four weeks ahead, like the latest there is. A series can be stopped at any time."
        ),
    )
    last_date = forms.DateField(
        label=_("Last day"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text=_("Empty: until it is stopped."),
    )
