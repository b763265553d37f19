"""Score slips: what each side says that happened on a board at a table."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from apps.pairs.models.rounds import Round
from apps.results.models import Contestant, FieldBoard


class Slip(models.Model):
    """One board at one table: entered by one side, confirmed by the other, or disputed until the director decides."""

    class State(models.TextChoices):
        ENTERED = "entered", _("waits for the other side")
        CONFIRMED = "confirmed", _("confirmed")
        DISPUTED = "disputed", _("disputed")
        RULED = "ruled", _("decided by the director")
        UNCONFIRMED = "unconfirmed", _("counts as entered, for nobody objected before the bell")

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="slips")
    table = models.PositiveSmallIntegerField()
    field_board = models.ForeignKey(FieldBoard, on_delete=models.CASCADE, related_name="slips")
    ns = models.ForeignKey(Contestant, on_delete=models.PROTECT, related_name="+")
    ew = models.ForeignKey(Contestant, on_delete=models.PROTECT, related_name="+")
    state = models.CharField(max_length=11, choices=State)
    ns_says = models.JSONField(
        null=True, blank=True, help_text=_("What North–South say: contract, result, lead.")
    )
    ew_says = models.JSONField(null=True, blank=True)
    agreed = models.JSONField(
        null=True, blank=True, help_text=_("What both said, or the director; it counts.")
    )
    version = models.PositiveIntegerField(default=0)

    class Meta:
        verbose_name = _("score slip")
        verbose_name_plural = _("score slips")
        constraints = [
            models.UniqueConstraint(
                fields=["round", "table", "field_board"], name="slip_once_a_table_and_board"
            ),
            models.CheckConstraint(
                condition=Q(state="disputed", ns_says__isnull=False, ew_says__isnull=False)
                | Q(state__in=["confirmed", "ruled", "unconfirmed"], agreed__isnull=False)
                | Q(state="entered"),
                name="slip_state_fits_what_was_said",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.field_board} {self.table}: {self.state}"


class SlipEntry(models.Model):
    """What was said about a slip, by whom: rows are only ever added, and one command has one effect."""

    slip = models.ForeignKey(Slip, on_delete=models.CASCADE, related_name="log")
    command = models.UUIDField()
    at = models.DateTimeField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True)
    side = models.CharField(max_length=2)
    act = models.CharField(max_length=11, help_text=_("The state of the slip after it."))
    said = models.JSONField(null=True)

    class Meta:
        verbose_name = _("entry on a score slip")
        verbose_name_plural = _("entries on score slips")
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["slip", "command"], name="slip_command_has_one_effect"),
        ]

    def __str__(self) -> str:
        return f"{self.act} {self.side}"
