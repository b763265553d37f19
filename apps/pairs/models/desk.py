"""The registration desk: tables for two where partners find each other, and invitations by name."""

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from apps.pairs.models.swiss import Swiss
from apps.users.models import Player


class DeskSeat(models.Model):
    """A player who sits at a table of the desk; alone there, he looks for a partner. Seats 1 and 2 face each other."""

    swiss = models.ForeignKey(Swiss, on_delete=models.CASCADE, related_name="desk")
    table = models.PositiveIntegerField()
    seat = models.PositiveSmallIntegerField()
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="+")
    sat_at = models.DateTimeField()
    hand_at = models.DateTimeField(null=True, blank=True)  # since when the hand is up

    class Meta:
        verbose_name = _("seat at the desk")
        verbose_name_plural = _("seats at the desk")
        ordering = ["table", "seat"]
        constraints = [
            models.UniqueConstraint(fields=["swiss", "table", "seat"], name="desk_seat_holds_one"),
            models.UniqueConstraint(fields=["swiss", "player"], name="desk_player_sits_once"),
            models.CheckConstraint(condition=Q(seat__in=[1, 2]), name="desk_has_two_seats_a_table"),
        ]

    def __str__(self) -> str:
        return f"{self.table}.{self.seat} {self.player}"


class Invitation(models.Model):
    """One player asks another by name to play together."""

    class State(models.TextChoices):
        OPEN = "open"
        ACCEPTED = "accepted"
        DECLINED = "declined"
        WITHDRAWN = "withdrawn"

    swiss = models.ForeignKey(Swiss, on_delete=models.CASCADE, related_name="invitations")
    by = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="+")
    to = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="+")
    state = models.CharField(max_length=9, choices=State, default=State.OPEN)
    made_at = models.DateTimeField()
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("invitation")
        verbose_name_plural = _("invitations")
        constraints = [
            models.UniqueConstraint(
                fields=["swiss", "by", "to"], condition=Q(state="open"), name="invitation_open_once"
            ),
            models.CheckConstraint(condition=~Q(by=F("to")), name="invitation_to_somebody_else"),
        ]

    def __str__(self) -> str:
        return f"{self.by} – {self.to}"
