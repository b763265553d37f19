"""What is due and when, what waits to leave the house, who did what, and whether the clock was going."""

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class DueWork(models.Model):
    """A transition that the clock makes at its time: kind, subject and number name it, once for ever."""

    class State(models.TextChoices):
        PLANNED = "planned", _("planned")
        DONE = "done", _("done")
        DROPPED = "dropped", _("dropped")
        STUCK = "stuck", _("stuck")

    kind = models.CharField(_("kind"), max_length=60)
    subject = models.BigIntegerField(
        _("subject"), help_text=_("The id of what it is about, an event for instance.")
    )
    number = models.BigIntegerField(_("number"), default=0, help_text=_("Which one, a round for instance."))
    due_at = models.DateTimeField(_("due"))
    state = models.CharField(_("state"), max_length=7, choices=State, default=State.PLANNED)
    attempts = models.PositiveSmallIntegerField(
        _("failed attempts"), default=0, help_text=_("How often it failed.")
    )
    next_try_at = models.DateTimeField(_("next attempt"), null=True, blank=True)
    last_error = models.TextField(_("last error"), blank=True)
    done_at = models.DateTimeField(_("time of completion"), null=True, blank=True)

    class Meta:
        verbose_name = _("due work")
        verbose_name_plural = _("due work")
        constraints = [
            models.UniqueConstraint(fields=["kind", "subject", "number"], name="due_work_once"),
            models.CheckConstraint(
                condition=Q(state="done", done_at__isnull=False) | (~Q(state="done") & Q(done_at=None)),
                name="due_work_done_has_its_time",
            ),
        ]
        indexes = [
            models.Index(fields=["due_at", "id"], condition=Q(state="planned"), name="due_work_planned")
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}/{self.number}"


class Outgoing(models.Model):
    """Something that leaves the house, a mail for instance: written with what caused it, delivered afterwards."""

    key = models.CharField(
        _("key"), max_length=200, unique=True, help_text=_("What it is; a second one is refused.")
    )
    kind = models.CharField(_("kind"), max_length=60)
    body = models.JSONField(_("content"), encoder=DjangoJSONEncoder)
    created_at = models.DateTimeField(_("created"))
    next_try_at = models.DateTimeField(_("next attempt"), null=True, blank=True)
    claimed_at = models.DateTimeField(_("taken up"), null=True, blank=True)
    sent_at = models.DateTimeField(_("sent"), null=True, blank=True)
    last_error = models.TextField(_("last error"), blank=True)

    class Meta:
        verbose_name = _("outgoing message")
        verbose_name_plural = _("outgoing messages")
        indexes = [models.Index(fields=["id"], condition=Q(sent_at=None), name="outgoing_unsent")]

    def __str__(self) -> str:
        return self.key


class AuditEntry(models.Model):
    """Who changed what, and why. The database refuses to change or delete an entry."""

    at = models.DateTimeField(_("when"))
    actor_id = models.BigIntegerField(
        _("account"), null=True, blank=True, help_text=_("A user; nobody is the clock itself.")
    )
    actor_name = models.CharField(_("who"), max_length=150, blank=True)
    action = models.CharField(_("action"), max_length=60)
    subject_kind = models.CharField(_("kind of subject"), max_length=60)
    subject_id = models.BigIntegerField(_("subject"))
    before = models.JSONField(_("before"), null=True, blank=True, encoder=DjangoJSONEncoder)
    after = models.JSONField(_("after"), null=True, blank=True, encoder=DjangoJSONEncoder)
    reason = models.TextField(_("reason"), blank=True)

    class Meta:
        verbose_name = _("audit entry")
        verbose_name_plural = _("audit entries")
        indexes = [models.Index(fields=["subject_kind", "subject_id", "id"], name="audit_of_subject")]

    def __str__(self) -> str:
        return f"{self.action} {self.subject_kind} {self.subject_id}"


class Pulse(models.Model):
    """The last moment at which a clock was going; one row."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    at = models.DateTimeField()

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(id=1), name="pulse_is_one")]

    def __str__(self) -> str:
        return str(self.at)


class Outage(models.Model):
    """A time without a clock, known by the pulse before it."""

    began_at = models.DateTimeField(_("began"), unique=True)
    ended_at = models.DateTimeField(_("ended"))
    seconds = models.PositiveIntegerField(_("seconds"))
    handled = models.BooleanField(
        _("given back"), help_text=_("Whether the time was given back to what was going on.")
    )

    class Meta:
        verbose_name = _("outage")
        verbose_name_plural = _("outages")
        constraints = [
            models.CheckConstraint(condition=Q(ended_at__gt=models.F("began_at")), name="outage_lasts")
        ]

    def __str__(self) -> str:
        return f"{self.began_at:%Y-%m-%d %H:%M:%S} + {self.seconds} s"


class ClockOffset(models.Model):
    """How far this site's clock is ahead of the database's, where a setting lets tests and simulations move it."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    offset = models.DurationField()

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(id=1), name="clock_offset_is_one")]

    def __str__(self) -> str:
        return str(self.offset)
