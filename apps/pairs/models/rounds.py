"""Entries, rounds, seats and what a round brought."""

from fractions import Fraction

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from apps.pairs.models.events import Session
from apps.pairs.models.swiss import Swiss
from apps.results.models import Contestant
from apps.users.models import Player


class Entry(models.Model):
    """A pair that entered. Its registration number is the contestant's `order`."""

    class State(models.TextChoices):
        PLAYING = "playing", _("takes part")
        AWAY = "away", _("not there")
        WITHDRAWN = "withdrawn", _("withdrawn")

    contestant = models.OneToOneField(
        Contestant, on_delete=models.CASCADE, primary_key=True, related_name="entry"
    )
    swiss = models.ForeignKey(Swiss, on_delete=models.CASCADE, related_name="entries")
    state = models.CharField(max_length=9, choices=State, default=State.PLAYING)
    entered_at = models.DateTimeField()
    present_at = models.DateTimeField(
        null=True, blank=True, help_text=_("When the pair said that it is there.")
    )
    returns = models.PositiveSmallIntegerField(default=0, help_text=_("How often it came back."))

    class Meta:
        verbose_name = _("entry")
        verbose_name_plural = _("entries")
        ordering = ["contestant__order"]

    def __str__(self) -> str:
        return str(self.contestant)


class Entrant(models.Model):
    """A player of an entry: one entry of an event at a time."""

    swiss = models.ForeignKey(Swiss, on_delete=models.CASCADE, related_name="entrants")
    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="entrants")
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="entrants")

    class Meta:
        verbose_name = _("player of an entry")
        verbose_name_plural = _("players of entries")
        constraints = [
            models.UniqueConstraint(fields=["swiss", "player"], name="entrant_enters_once"),
        ]

    def __str__(self) -> str:
        return str(self.player)


class Rounds(models.Manager["Round"]):
    """Rounds without their certificates, which are large and seldom asked for."""

    def get_queryset(self) -> models.QuerySet["Round"]:
        return super().get_queryset().defer("certificate")


class Round(models.Model):
    """A round of an event: pending until the clock opens it, open until the bell."""

    class State(models.TextChoices):
        PENDING = "pending", _("to come")
        OPEN = "open", _("being played")
        CLOSED = "closed", _("over")

    swiss = models.ForeignKey(Swiss, on_delete=models.CASCADE, related_name="all_rounds")
    number = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=7, choices=State, default=State.PENDING)
    opens_at = models.DateTimeField()
    closes_at = models.DateTimeField()
    opened_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    session = models.OneToOneField(
        Session, on_delete=models.PROTECT, null=True, blank=True, related_name="round"
    )
    certificate = models.JSONField(null=True, blank=True, help_text=_("Why these pairs met."))

    objects = Rounds()

    class Meta:
        verbose_name = _("round")
        verbose_name_plural = _("rounds")
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["swiss", "number"], name="round_number_once_an_event"),
            models.UniqueConstraint(
                fields=["swiss"], condition=Q(state="open"), name="round_one_open_an_event"
            ),
            models.CheckConstraint(
                condition=Q(closes_at__gt=F("opens_at")), name="round_closes_after_it_opens"
            ),
            models.CheckConstraint(
                condition=Q(state="pending", opened_at=None, closed_at=None)
                | Q(state="open", opened_at__isnull=False, closed_at=None)
                | Q(state="closed", opened_at__isnull=False, closed_at__gte=F("opened_at")),
                name="round_state_has_its_moments",
            ),
            models.CheckConstraint(
                condition=Q(state="pending") | Q(session__isnull=False), name="round_opened_has_boards"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.swiss}, round {self.number}"


class Seat(models.Model):
    """Where a pair sits in a round, or that it sits out."""

    class Side(models.TextChoices):
        NS = "NS", _("North–South")
        EW = "EW", _("East–West")

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="seats", db_index=False)
    contestant = models.ForeignKey(Contestant, on_delete=models.PROTECT, related_name="seats")
    table = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text=_("Empty for a pair that sits out.")
    )
    side = models.CharField(max_length=2, choices=Side, blank=True)
    missing = models.BooleanField(
        default=False, help_text=_("The opponents said that this pair is not there.")
    )
    called_at = models.DateTimeField(
        null=True, blank=True, help_text=_("When the table called the director.")
    )
    seconds = models.PositiveIntegerField(
        null=True, blank=True, help_text=_("For how long the table had waited for this pair at the bell.")
    )

    class Meta:
        verbose_name = _("seat")
        verbose_name_plural = _("seats")
        ordering = ["table", "-side"]
        constraints = [
            models.UniqueConstraint(fields=["round", "contestant"], name="seat_one_a_pair_and_round"),
            models.UniqueConstraint(fields=["round", "table", "side"], name="seat_holds_one_pair"),
            models.CheckConstraint(
                condition=Q(table=None, side="") | Q(table__gte=1, side__in=["NS", "EW"]),
                name="seat_is_at_a_table_or_sits_out",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.contestant} {self.table or '–'} {self.side}"


class RoundScore(models.Model):
    """What a round brought to a pair: derived from results and seats, and written again whenever these change."""

    class Kind(models.TextChoices):
        PLAYED = "played", _("played")
        BYE = "bye", _("sat out")
        WALKOVER = "walkover", _("the opponents were not there")
        ABSENT = "absent", _("was not there")
        MISSED = "missed", _("did not take part")

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="scores", db_index=False)
    contestant = models.ForeignKey(Contestant, on_delete=models.CASCADE, related_name="round_scores")
    kind = models.CharField(max_length=8, choices=Kind)
    numerator = models.BigIntegerField(help_text=_("IMPs, percentages of boards summed, or victory points."))
    denominator = models.PositiveBigIntegerField(default=1)
    completed = models.PositiveSmallIntegerField(help_text=_("Boards that count as completed."))

    class Meta:
        verbose_name = _("score of a round")
        verbose_name_plural = _("scores of rounds")
        constraints = [
            models.UniqueConstraint(fields=["round", "contestant"], name="round_score_once_a_pair"),
            models.CheckConstraint(condition=Q(denominator__gte=1), name="round_score_denominator"),
        ]

    def __str__(self) -> str:
        return f"{self.contestant}: {self.points}"

    @property
    def points(self) -> Fraction:
        return Fraction(self.numerator, self.denominator)
