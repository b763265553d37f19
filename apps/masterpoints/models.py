"""Master points: a ledger that only ever grows. A correction is an entry of its own."""

from dataclasses import dataclass
from datetime import date

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.formats import date_format
from django.utils.translation import gettext_lazy as _

from apps.pairs.models import Event
from apps.users.models import Player


class Award(models.Model):
    """Points that a player got, or by a correction lost, in an event. The database refuses to change or delete one."""

    player = models.ForeignKey(
        Player, on_delete=models.PROTECT, related_name="awards", verbose_name=_("player")
    )
    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="awards", verbose_name=_("event"))
    entry = models.PositiveSmallIntegerField(
        _("number of the entry"), help_text=_("1 is the award, from 2 on corrections.")
    )
    rank = models.PositiveIntegerField(_("rank"), null=True, blank=True)
    points = models.DecimalField(_("points"), max_digits=7, decimal_places=2)
    reason = models.CharField(_("reason"), max_length=200, blank=True)
    awarded_at = models.DateTimeField(_("time of award"))

    class Meta:
        verbose_name = _("award")
        verbose_name_plural = _("awards")
        constraints = [
            models.UniqueConstraint(fields=["event", "player", "entry"], name="award_entry_once"),
            models.CheckConstraint(condition=~Q(points=0), name="award_is_not_nothing"),
            models.CheckConstraint(
                condition=Q(entry__gt=1) | Q(points__gt=0), name="award_first_entry_is_positive"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player}: {self.points}"


class Total(models.Model):
    """What the ledger sums to for a player: written with every entry, so that the ranking is read in its order."""

    player = models.OneToOneField(
        Player, on_delete=models.CASCADE, primary_key=True, related_name="masterpoints"
    )
    points = models.DecimalField(max_digits=9, decimal_places=2)

    class Meta:
        verbose_name = _("total")
        verbose_name_plural = _("totals")
        indexes = [
            models.Index(
                F("points").desc(), "player", condition=Q(points__gt=0), name="masterpoints_in_order"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player}: {self.points}"


class TitleWon(models.Model):
    """The entry of the ledger by which a player first reached a title. It stays, whatever is corrected afterwards.

    The title that a player holds follows from the total: it goes down when a correction takes points away, and by
    nothing else.
    """

    player = models.ForeignKey(
        Player, on_delete=models.PROTECT, related_name="titles_won", verbose_name=_("player")
    )
    level = models.PositiveSmallIntegerField(
        _("level of the title"), help_text=_("Its place among the titles, from 1.")
    )
    award = models.ForeignKey(
        Award, on_delete=models.PROTECT, related_name="titles_won", verbose_name=_("award")
    )
    won_at = models.DateTimeField(_("reached"))

    class Meta:
        verbose_name = _("title won")
        verbose_name_plural = _("titles won")
        constraints = [
            models.UniqueConstraint(fields=["player", "level"], name="title_is_won_once"),
            models.CheckConstraint(condition=Q(level__gte=1), name="title_is_one"),
        ]

    def __str__(self) -> str:
        return f"{self.player}: {self.level}"


class Ranking(models.Model):
    """The ranking of a month or a year as an administrator published it. A later version leaves the earlier ones."""

    class Kind(models.TextChoices):
        MONTH = "month", _("month")
        YEAR = "year", _("year")

    kind = models.CharField(_("kind"), max_length=5, choices=Kind)
    starts_on = models.DateField(_("first day"))
    version = models.PositiveSmallIntegerField(_("version"))
    digest = models.CharField(
        _("digest"), max_length=32, help_text=_("Tells whether the ledger still says the same.")
    )
    published_at = models.DateTimeField(_("time of publication"))
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("published by"),
    )

    class Meta:
        verbose_name = _("published ranking")
        verbose_name_plural = _("published rankings")
        constraints = [
            models.UniqueConstraint(fields=["kind", "starts_on", "version"], name="ranking_version_once"),
            models.CheckConstraint(
                condition=Q(starts_on__day=1) & (Q(kind="month") | Q(starts_on__month=1)),
                name="ranking_starts_with_its_period",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.period}, {self.version}"

    @property
    def period(self) -> "Period":
        return Period(Ranking.Kind(self.kind), self.starts_on)


class RankingRow(models.Model):
    """A player in a published ranking. The database refuses to change or delete one."""

    ranking = models.ForeignKey(Ranking, on_delete=models.PROTECT, related_name="rows")
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="+")
    rank = models.PositiveIntegerField()
    tied = models.BooleanField()
    points = models.DecimalField(max_digits=9, decimal_places=2)

    class Meta:
        verbose_name = _("row of a ranking")
        verbose_name_plural = _("rows of rankings")
        constraints = [
            models.UniqueConstraint(fields=["ranking", "player"], name="ranking_has_a_player_once"),
            models.CheckConstraint(condition=Q(rank__gte=1, points__gt=0), name="ranking_row_has_points"),
        ]
        indexes = [models.Index(fields=["ranking", "rank", "player"], name="ranking_in_order")]

    def __str__(self) -> str:
        return f"{self.rank} {self.player}: {self.points}"


@dataclass(frozen=True, slots=True)
class Period:
    """A month or a year; the master points of an event count in those of the day under which the site lists it."""

    kind: Ranking.Kind
    starts_on: date

    def __str__(self) -> str:
        if self.kind == Ranking.Kind.YEAR:
            return str(self.starts_on.year)
        return date_format(self.starts_on, "YEAR_MONTH_FORMAT")

    @property
    def ends_on(self) -> date:
        """The first day that belongs to it no more."""
        year, month = self.starts_on.year, self.starts_on.month
        if self.kind == Ranking.Kind.YEAR or month == 12:
            return date(year + 1, 1, 1)
        return date(year, month + 1, 1)

    @property
    def text(self) -> str:
        """As addresses write it: 2026, 2026-11."""
        length = 4 if self.kind == Ranking.Kind.YEAR else 7
        return self.starts_on.isoformat()[:length]

    @property
    def query(self) -> str:
        return f"{self.kind}={self.text}"
