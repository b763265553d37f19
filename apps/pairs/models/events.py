"""Pairs events: who played, in how many sessions, how they stand."""

from fractions import Fraction

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from apps.boards.models import BoardSet
from apps.clock.time import Moment
from apps.results.models import Contestant, Field


class Event(models.Model):
    """A pairs event."""

    class State(models.TextChoices):
        DRAFT = "draft", _("not published")
        ANNOUNCED = "announced", _("announced")
        PUBLISHED = "published", _("published")

    title = models.CharField(_("title"), max_length=200)
    organisation = models.CharField(_("organisation"), max_length=200, blank=True)
    venue = models.CharField(_("venue"), max_length=200, blank=True)
    played_on = models.DateField(_("date"), null=True, blank=True)
    field = models.OneToOneField(
        Field, on_delete=models.PROTECT, related_name="event", verbose_name=_("field")
    )
    winners = models.PositiveSmallIntegerField(
        _("winners"),
        default=1,
        choices=[(1, _("one ranking")), (2, _("North–South and East–West ranked apart"))],
    )
    finish_percent = models.PositiveSmallIntegerField(
        _("share of boards to finish"),
        default=70,
        help_text=_("Percent of the boards that a pair must complete to be ranked."),
    )
    awards_masterpoints = models.BooleanField(_("awards master points"), default=True)
    state = models.CharField(_("state"), max_length=9, choices=State, default=State.DRAFT)
    created_at = models.DateTimeField(_("created"), default=Moment, editable=False)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("created by"),
    )
    published_at = models.DateTimeField(_("time of publication"), null=True, blank=True)
    published_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("published by"),
    )
    ranked_version = models.PositiveBigIntegerField(
        _("ranked version"),
        default=0,
        help_text=_("The version of the field that the standings were made from."),
    )
    source = models.JSONField(
        _("source"),
        default=dict,
        blank=True,
        help_text=_("For an imported event: file, program, rule found, differences."),
    )
    source_key = models.CharField(
        _("key of the source"),
        max_length=200,
        null=True,
        blank=True,
        unique=True,
        help_text=_("What tells that a file was imported already."),
    )

    class Meta:
        verbose_name = _("event")
        verbose_name_plural = _("events")
        ordering = ["-played_on", "-pk"]
        constraints = [
            models.CheckConstraint(condition=Q(winners__in=[1, 2]), name="event_has_one_or_two_winners"),
            models.CheckConstraint(condition=Q(finish_percent__range=(0, 100)), name="event_finish_percent"),
            models.CheckConstraint(
                condition=Q(state__in=["draft", "announced"], published_at=None)
                | Q(state="published", published_at__isnull=False),
                name="event_published_has_its_moment",
            ),
        ]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("pairs:event", args=[self.pk])


class Session(models.Model):
    """A sitting of an event with boards of its own."""

    event = models.ForeignKey(
        Event, on_delete=models.CASCADE, related_name="sessions", verbose_name=_("event")
    )
    number = models.PositiveSmallIntegerField(_("number"))
    title = models.CharField(_("title"), max_length=200, blank=True)
    played_on = models.DateField(_("date"), null=True, blank=True)
    board_set = models.ForeignKey(
        BoardSet, on_delete=models.PROTECT, related_name="sessions", verbose_name=_("board set")
    )

    class Meta:
        verbose_name = _("session")
        verbose_name_plural = _("sessions")
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["event", "number"], name="session_number_once_an_event"),
        ]

    def __str__(self) -> str:
        return gettext("%(event)s, session %(number)s") % {"event": self.event, "number": self.number}


class Standing(models.Model):
    """Where a pair stands in one ranking list of the event: over all (`session` 0) or in one session.

    Every round moves every row. No index holds what moves, and a page has room for a second version of its rows, so that
    PostgreSQL writes them in place.
    """

    event = models.ForeignKey(
        Event, on_delete=models.CASCADE, related_name="standings", verbose_name=_("event")
    )
    contestant = models.ForeignKey(
        Contestant, on_delete=models.CASCADE, related_name="standings", verbose_name=_("contestant")
    )
    session = models.PositiveSmallIntegerField(_("session"), default=0)
    rank = models.PositiveIntegerField(
        _("rank"), null=True, blank=True, help_text=_("Empty when the pair is not ranked.")
    )
    tied = models.BooleanField(_("tied"), default=False)
    position = models.PositiveIntegerField(
        _("place on the page"), help_text=_("Order on the page, ranked pairs first.")
    )
    boards = models.PositiveSmallIntegerField(_("boards"))
    score_numerator = models.BigIntegerField(
        _("score, numerator"), help_text=_("The figure that ranks: a percentage, or IMPs.")
    )
    score_denominator = models.PositiveBigIntegerField(_("score, denominator"))
    total_numerator = models.BigIntegerField(
        _("total, numerator"), help_text=_("Matchpoints or IMPs, penalties taken off.")
    )
    total_denominator = models.PositiveBigIntegerField(_("total, denominator"))
    penalty = models.DecimalField(_("penalty"), max_digits=12, decimal_places=2, default=0)
    masterpoints = models.DecimalField(
        _("master points"),
        max_digits=7,
        decimal_places=2,
        default=0,
        help_text=_("What each player of the pair gets for this place."),
    )

    class Meta:
        verbose_name = _("standing")
        verbose_name_plural = _("standings")
        ordering = ["session", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["event", "session", "contestant"], name="standing_once_a_pair_and_list"
            ),
            models.CheckConstraint(
                condition=Q(score_denominator__gte=1, total_denominator__gte=1), name="standing_denominators"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event}: {self.contestant} {self.rank or '–'}"

    @property
    def score(self) -> Fraction:
        return Fraction(self.score_numerator, self.score_denominator)

    @property
    def total(self) -> Fraction:
        return Fraction(self.total_numerator, self.total_denominator)
