"""Master points: a ledger that only ever grows. A correction is an entry of its own."""

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from apps.pairs.models import Event
from apps.users.models import Player


class Award(models.Model):
    """Points that a player got, or by a correction lost, in an event."""

    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="awards")
    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="awards")
    entry = models.PositiveSmallIntegerField(help_text=_("1 is the award, from 2 on corrections."))
    rank = models.PositiveIntegerField(null=True, blank=True)
    points = models.DecimalField(max_digits=7, decimal_places=2)
    reason = models.CharField(max_length=200, blank=True)
    awarded_at = models.DateTimeField(auto_now_add=True)

    class Meta:
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
        indexes = [
            models.Index(
                F("points").desc(), "player", condition=Q(points__gt=0), name="masterpoints_in_order"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player}: {self.points}"
