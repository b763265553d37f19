"""A pairs event that runs itself: how it was set up, and where it stands."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from apps.boards.models import Seal
from apps.pairs.models.events import Event
from apps.users.models import Player


class Series(models.Model):
    """An event that comes back on a weekday, at one hour of its zone whatever the clocks of that zone do."""

    class Weekday(models.IntegerChoices):
        MONDAY = 0, _("Monday")
        TUESDAY = 1, _("Tuesday")
        WEDNESDAY = 2, _("Wednesday")
        THURSDAY = 3, _("Thursday")
        FRIDAY = 4, _("Friday")
        SATURDAY = 5, _("Saturday")
        SUNDAY = 6, _("Sunday")

    weekday = models.PositiveSmallIntegerField(_("weekday"), choices=Weekday)
    local_time = models.TimeField(_("time of day"))
    zone = models.CharField(_("time zone"), max_length=50)
    first_date = models.DateField(_("first date"))
    last_date = models.DateField(_("last date"), null=True, blank=True)
    made_until = models.DateField(null=True, blank=True, help_text=_("Events exist up to this date."))
    stopped = models.BooleanField(_("stopped"), default=False)

    class Meta:
        verbose_name = _("series of events")
        verbose_name_plural = _("series of events")
        constraints = [
            models.CheckConstraint(condition=Q(weekday__lte=6), name="series_weekday_exists"),
            models.CheckConstraint(
                condition=Q(last_date=None) | Q(last_date__gte=F("first_date")),
                name="series_ends_after_it_began",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_weekday_display()} {self.local_time:%H:%M} {self.zone}"


class Swiss(models.Model):
    """What an administrator chose for the event, and how far the clock has brought it."""

    class State(models.TextChoices):
        ANNOUNCED = "announced", _("open for entries")
        RUNNING = "running", _("being played")
        SUSPENDED = "suspended", _("suspended")
        FINISHED = "finished", _("finished, corrections are possible")
        OFFICIAL = "official", _("final")
        CANCELLED = "cancelled", _("cancelled")

    class Cut(models.TextChoices):
        MINUS = "minus", _("0 IMPs, or 40 % of the matchpoints, to both")
        AVERAGE = "average", _("0 IMPs, or 50 % of the matchpoints, to both")
        NOTHING = "nothing", _("nothing to either")
        CLOCK = "clock", _("average minus to the side that was clearly slower, by the clock of the table")

    class Play(models.TextChoices):
        ENTERED = "entered", _("at real tables; results are entered here")
        TABLES = "tables", _("here, at tables of this site")

    class Undo(models.TextChoices):
        """Who lets a slip in the auction be taken back, as `bridge.table.DecidedBy` names them."""

        PLAYERS = "players", _("the opponents")
        DIRECTOR = "director", _("the director")
        NOBODY = "nobody", _("nobody")

    class Admission(models.TextChoices):
        EVERYBODY = "everybody", _("everybody with an account")
        INVITED = "invited", _("only the players on the list")

    class AfterOutage(models.TextChoices):
        RESUME = "resume", _("go on with the time that was left")
        CUT = "cut", _("cut the round and go on with the next")
        CANCEL = "cancel", _("cancel the event")

    event = models.OneToOneField(Event, on_delete=models.CASCADE, primary_key=True, related_name="swiss")
    series = models.ForeignKey(
        Series, on_delete=models.SET_NULL, null=True, blank=True, related_name="events"
    )

    seal = models.OneToOneField(
        Seal, on_delete=models.PROTECT, null=True, blank=True, help_text=_("Where the deals come from.")
    )

    zone = models.CharField(_("time zone"), max_length=50)
    local_start = models.CharField(max_length=16, help_text=_("The start as it was typed, in its zone."))
    starts_at = models.DateTimeField(_("start"))
    rounds = models.PositiveSmallIntegerField(_("rounds"))
    boards = models.PositiveSmallIntegerField(_("boards a round"))
    minutes = models.PositiveSmallIntegerField(_("minutes a round"))
    pause = models.PositiveSmallIntegerField(_("minutes between rounds"), default=2)
    by_vps = models.BooleanField(_("victory points by round"), default=False)
    cut = models.CharField(_("boards that are not finished"), max_length=8, choices=Cut, default=Cut.MINUS)
    barometer = models.BooleanField(_("scores are shown during the round"), default=False)
    presence_minutes = models.PositiveSmallIntegerField(
        _("presence check, minutes before the start"), default=0
    )
    grace = models.PositiveSmallIntegerField(_("minutes to wait for those who are missing"), default=3)
    late_until = models.PositiveSmallIntegerField(_("late entry up to round"), default=1)
    admission = models.CharField(
        _("who may enter"), max_length=9, choices=Admission, default=Admission.EVERYBODY
    )
    invited = models.ManyToManyField(Player, blank=True, related_name="+", verbose_name=_("list of players"))
    min_pairs = models.PositiveSmallIntegerField(_("at least so many pairs"), default=4)
    max_pairs = models.PositiveSmallIntegerField(_("at most so many pairs"), null=True, blank=True)
    min_finishers = models.PositiveSmallIntegerField(
        _("master points from so many finishers on"), default=1, db_default=1
    )
    hold = models.PositiveSmallIntegerField(_("seconds to hold both hands up"), default=3)
    correction_minutes = models.PositiveIntegerField(_("correction period in minutes"), default=30)
    after_outage = models.CharField(
        _("after a long interruption"), max_length=6, choices=AfterOutage, default=AfterOutage.RESUME
    )

    play = models.CharField(
        _("where it is played"), max_length=7, choices=Play, default=Play.ENTERED, db_default=Play.ENTERED
    )
    undo = models.CharField(
        _("who lets a call be taken back"),
        max_length=8,
        choices=Undo,
        default=Undo.PLAYERS,
        db_default=Undo.PLAYERS,
    )
    stop = models.BooleanField(_("a pause after a jump bid"), default=False, db_default=False)
    turn_seconds = models.PositiveSmallIntegerField(
        _("seconds for a call or card"), null=True, blank=True, help_text=_("Empty: no limit.")
    )

    state = models.CharField(max_length=9, choices=State, default=State.ANNOUNCED)
    current_round = models.PositiveSmallIntegerField(default=0)
    version = models.PositiveIntegerField(
        default=0, help_text=_("Moves with every change that the pages of the event show.")
    )
    schedule_version = models.PositiveIntegerField(
        default=0,
        help_text=_("Moves with every step of the clock and of the director: two directors never cross."),
    )
    suspended_at = models.DateTimeField(null=True, blank=True)
    why = models.CharField(max_length=300, blank=True, help_text=_("Why it is suspended or was cancelled."))

    class Meta:
        verbose_name = _("event that runs itself")
        verbose_name_plural = _("events that run themselves")
        constraints = [
            models.CheckConstraint(condition=Q(rounds__range=(1, 40)), name="swiss_rounds"),
            models.CheckConstraint(condition=Q(boards__range=(1, 36)), name="swiss_boards"),
            models.CheckConstraint(condition=Q(minutes__range=(1, 600)), name="swiss_minutes"),
            models.CheckConstraint(
                condition=Q(current_round__lte=F("rounds")), name="swiss_round_is_one_of_them"
            ),
            models.CheckConstraint(condition=Q(min_pairs__gte=2), name="swiss_needs_two_pairs"),
            models.CheckConstraint(condition=Q(min_finishers__gte=1), name="swiss_has_a_finisher"),
            models.CheckConstraint(
                condition=Q(max_pairs=None) | Q(max_pairs__gte=F("min_pairs")), name="swiss_pairs_range"
            ),
            models.CheckConstraint(
                condition=Q(play__in=["entered", "tables"]), name="swiss_is_played_somewhere"
            ),
            models.CheckConstraint(
                condition=~Q(cut="clock") | Q(play="tables"), name="swiss_cut_by_the_clock_has_tables"
            ),
            models.CheckConstraint(
                condition=Q(undo__in=["players", "director", "nobody"]),
                name="swiss_undo_is_decided_by_somebody",
            ),
            models.CheckConstraint(
                condition=Q(turn_seconds=None) | Q(turn_seconds__gte=15), name="swiss_turn_has_time"
            ),
            models.CheckConstraint(
                condition=Q(state="suspended", suspended_at__isnull=False)
                | ~Q(state="suspended") & Q(suspended_at=None),
                name="swiss_suspended_has_its_moment",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["announced", "cancelled"]) | Q(seal__isnull=False),
                name="swiss_that_runs_has_its_seal",
            ),
        ]

    def __str__(self) -> str:
        return str(self.event)

    @property
    def tz(self) -> ZoneInfo:
        return ZoneInfo(self.zone)

    @property
    def planned_end(self) -> datetime:
        return self.starts_at + timedelta(minutes=self.rounds * self.minutes + (self.rounds - 1) * self.pause)

    @property
    def has_tables(self) -> bool:
        """Whether it is played here."""
        return self.play == self.Play.TABLES

    @property
    def is_over(self) -> bool:
        return self.state in (self.State.FINISHED, self.State.OFFICIAL, self.State.CANCELLED)
