"""Results and the fields they are compared in.

A `Field` is the set of results that are compared with one another, with its rules. What happened at a table is a
`Result`; what it scored is in the `Comparison` of its board, written from scratch each time, one row a board.
"""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from apps.boards.models import Board
from apps.clock.time import Moment
from apps.users.models import Player
from bridge.comparison import Method, Rules
from bridge.datum import DEFAULT_RULE, DatumRule


class Field(models.Model):
    """Results that are compared with one another, and by which rules."""

    class Method(models.TextChoices):
        BUTLER = "BUTLER", _("IMPs against the datum")
        CROSS_IMP = "CROSS_IMP", _("cross-IMPs")
        TOTAL_IMP = "TOTAL_IMP", _("total IMPs")
        MP = "MP", _("matchpoints")

    method = models.CharField(_("scoring"), max_length=10, choices=Method)
    datum_rule = models.CharField(
        _("rule of the datum"),
        max_length=60,
        default=str(DEFAULT_RULE),
        help_text=_("How the datum is trimmed and rounded; only IMPs against the datum use it."),
    )
    expected = models.PositiveSmallIntegerField(
        _("results expected"),
        null=True,
        blank=True,
        help_text=_("Results each board was to have; empty means as many as the fullest board has."),
    )
    neuberg = models.BooleanField(
        _("Neuberg's formula"),
        default=True,
        help_text=_("Boards with fewer results count as much as the others."),
    )
    by_session = models.BooleanField(
        _("each session by itself"),
        default=False,
        help_text=_("The boards of each session are compared for themselves: rounds of an event."),
    )
    version = models.PositiveBigIntegerField(
        _("version"), default=0, help_text=_("Moves whenever a comparison in the field changes.")
    )

    class Meta:
        verbose_name = _("field")
        verbose_name_plural = _("fields")
        constraints = [
            models.CheckConstraint(
                condition=Q(method__in=["BUTLER", "CROSS_IMP", "TOTAL_IMP", "MP"]),
                name="field_method_is_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_method_display()} {self.pk}"

    @property
    def rules(self) -> Rules:
        return Rules(Method(self.method), DatumRule.from_text(self.datum_rule), self.expected, self.neuberg)


class Contestant(models.Model):
    """Those who score together in a field: a pair."""

    class Direction(models.TextChoices):
        NS = "NS", _("North–South")
        EW = "EW", _("East–West")

    class Status(models.TextChoices):
        ACTIVE = "active", _("playing")
        WITHDRAWN = "withdrawn", _("withdrawn")
        DISQUALIFIED = "disqualified", _("disqualified")

    field = models.ForeignKey(
        Field, on_delete=models.CASCADE, related_name="contestants", verbose_name=_("field")
    )
    label = models.CharField(
        _("number"), max_length=12, help_text=_("The number as the event prints it, for instance 7 or A3 NS.")
    )
    order = models.PositiveIntegerField(_("order"), help_text=_("Order of registration."))
    direction = models.CharField(_("direction"), max_length=2, choices=Direction, blank=True)
    status = models.CharField(_("state"), max_length=12, choices=Status, default=Status.ACTIVE)
    players = models.ManyToManyField(
        Player, through="Member", related_name="contestants", verbose_name=_("players")
    )

    class Meta:
        verbose_name = _("contestant")
        verbose_name_plural = _("contestants")
        ordering = ["order"]
        constraints = [
            models.UniqueConstraint(fields=["field", "label"], name="contestant_label_once_a_field"),
            models.UniqueConstraint(fields=["field", "order"], name="contestant_order_once_a_field"),
            models.CheckConstraint(
                condition=Q(direction__in=["", "NS", "EW"]), name="contestant_direction_is_known"
            ),
        ]

    def __str__(self) -> str:
        return self.label


class Member(models.Model):
    """A player of a contestant, in the order in which the pair is named."""

    contestant = models.ForeignKey(
        Contestant, on_delete=models.CASCADE, related_name="members", verbose_name=_("contestant")
    )
    player = models.ForeignKey(
        Player, on_delete=models.PROTECT, related_name="memberships", verbose_name=_("player")
    )
    position = models.PositiveSmallIntegerField(_("place in the pair"))

    class Meta:
        verbose_name = _("member")
        verbose_name_plural = _("members")
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["contestant", "position"], name="member_position_once"),
            models.UniqueConstraint(fields=["contestant", "player"], name="member_player_once"),
        ]

    def __str__(self) -> str:
        return str(self.player)


class Penalty(models.Model):
    """Points taken from a contestant, or given by a negative number, with the reason. Each stays; another one takes it back."""

    contestant = models.ForeignKey(
        Contestant, on_delete=models.CASCADE, related_name="penalties", verbose_name=_("contestant")
    )
    session = models.PositiveSmallIntegerField(_("session"), default=1)
    points = models.DecimalField(
        _("points"),
        max_digits=7,
        decimal_places=2,
        help_text=_("Matchpoints or IMPs that are subtracted from the total."),
    )
    reason = models.CharField(_("reason"), max_length=300)
    command = models.UUIDField(_("command"), null=True, unique=True, editable=False)
    given_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, verbose_name=_("given by")
    )
    given_at = models.DateTimeField(_("time of the penalty"), default=Moment, editable=False)

    class Meta:
        verbose_name = _("penalty")
        verbose_name_plural = _("penalties")

    def __str__(self) -> str:
        return f"{self.points}: {self.reason}"


class FieldBoard(models.Model):
    """A board as one field plays it. `results_version` moves with every result, `compared_version` follows it."""

    field = models.ForeignKey(
        Field, on_delete=models.CASCADE, related_name="field_boards", verbose_name=_("field")
    )
    board = models.ForeignKey(
        Board, on_delete=models.PROTECT, related_name="field_boards", verbose_name=_("board")
    )
    session = models.PositiveSmallIntegerField(_("session"), default=1)
    results_version = models.PositiveBigIntegerField(_("version of the results"), default=0)
    compared_version = models.PositiveBigIntegerField(_("version compared"), default=0)
    ranked_version = models.PositiveBigIntegerField(
        _("version ranked"),
        default=0,
        db_default=0,
        help_text=_("The version that the ranking was made from, once it is published."),
    )

    class Meta:
        verbose_name = _("board of a field")
        verbose_name_plural = _("boards of fields")
        ordering = ["session", "board__number"]
        constraints = [
            models.UniqueConstraint(fields=["field", "board"], name="field_board_once_a_field"),
            models.CheckConstraint(
                condition=Q(compared_version__lte=F("results_version")),
                name="field_board_compared_follows_results",
            ),
        ]
        indexes = [
            models.Index(
                fields=["field"],
                condition=Q(compared_version__lt=F("results_version")),
                name="field_board_uncompared",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.field} {self.board}"


class Result(models.Model):
    """What happened on one board at one table, seen from North–South."""

    class Kind(models.TextChoices):
        PLAYED = "played", _("played")
        RULED = "ruled", _("adjusted by the director")
        CUT = "cut", _("not finished in time")
        NOT_PLAYED = "not played", _("not played")

    class Source(models.TextChoices):
        PLAYED = "played", _("played here")
        ENTERED = "entered", _("entered")
        IMPORTED = "imported", _("imported")

    field_board = models.ForeignKey(
        FieldBoard, on_delete=models.CASCADE, related_name="results", verbose_name=_("board")
    )
    ns = models.ForeignKey(
        Contestant, on_delete=models.PROTECT, related_name="results_ns", verbose_name=_("North–South")
    )
    ew = models.ForeignKey(
        Contestant, on_delete=models.PROTECT, related_name="results_ew", verbose_name=_("East–West")
    )
    north = models.ForeignKey(
        Player, on_delete=models.PROTECT, null=True, blank=True, related_name="+", verbose_name=_("North")
    )
    east = models.ForeignKey(
        Player, on_delete=models.PROTECT, null=True, blank=True, related_name="+", verbose_name=_("East")
    )
    south = models.ForeignKey(
        Player, on_delete=models.PROTECT, null=True, blank=True, related_name="+", verbose_name=_("South")
    )
    west = models.ForeignKey(
        Player, on_delete=models.PROTECT, null=True, blank=True, related_name="+", verbose_name=_("West")
    )
    round = models.PositiveSmallIntegerField(_("round"), null=True, blank=True)
    table = models.CharField(_("table"), max_length=8, blank=True)
    kind = models.CharField(_("kind"), max_length=10, choices=Kind)
    source = models.CharField(_("source"), max_length=8, choices=Source)
    level = models.PositiveSmallIntegerField(
        _("level"), null=True, blank=True, help_text=_("0 is a board passed out.")
    )
    strain = models.CharField(_("denomination"), max_length=2, blank=True)
    doubling = models.PositiveSmallIntegerField(_("doubling"), default=0)
    declarer = models.CharField(_("declarer"), max_length=1, blank=True)
    tricks = models.PositiveSmallIntegerField(_("tricks"), null=True, blank=True)
    lead = models.CharField(_("lead"), max_length=2, blank=True)
    ns_score = models.SmallIntegerField(_("score"), null=True, blank=True)
    ruling = models.JSONField(
        _("award"), null=True, blank=True, help_text=_("The director's award to each side.")
    )
    recorded_at = models.DateTimeField(_("recorded"), default=Moment, editable=False)

    class Meta:
        verbose_name = _("result")
        verbose_name_plural = _("results")
        constraints = [
            models.UniqueConstraint(fields=["field_board", "ns"], name="result_ns_plays_a_board_once"),
            models.UniqueConstraint(fields=["field_board", "ew"], name="result_ew_plays_a_board_once"),
            models.CheckConstraint(condition=~Q(ns=F("ew")), name="result_nobody_plays_himself"),
            models.CheckConstraint(
                condition=Q(kind="played", ns_score__isnull=False, ruling__isnull=True)
                | Q(kind__in=["ruled", "cut"], ruling__isnull=False)
                | Q(kind="not played", ns_score=None, ruling__isnull=True),
                name="result_kind_fits_what_it_holds",
            ),
            models.CheckConstraint(
                condition=Q(level=None, strain="", declarer="", tricks=None, doubling=0)
                | Q(level=0, strain="", declarer="", tricks=None, doubling=0)
                | Q(
                    level__range=(1, 7),
                    strain__in=["C", "D", "H", "S", "NT"],
                    declarer__in=["N", "E", "S", "W"],
                    tricks__range=(0, 13),
                    doubling__range=(0, 2),
                ),
                name="result_contract_is_possible",
            ),
            models.CheckConstraint(
                condition=Q(ns_score=None) | Q(ns_score__range=(-7600, 7600)), name="result_score_is_possible"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.field_board}: {self.ns} – {self.ew}"


class ResultChange(models.Model):
    """What a result was before and after, who changed it and why. Rows are only ever added."""

    AGREED = gettext_noop("both sides say so")
    UNCONTRADICTED = gettext_noop("nobody objected before the bell")

    result = models.ForeignKey(
        Result, on_delete=models.CASCADE, related_name="changes", verbose_name=_("result")
    )
    at = models.DateTimeField(_("when"), default=Moment, editable=False)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        verbose_name=_("changed by"),
    )
    reason = models.CharField(_("reason"), max_length=300)
    before = models.JSONField(_("before"))
    after = models.JSONField(_("after"))
    version = models.PositiveBigIntegerField(
        _("version of the results"),
        default=0,
        db_default=0,
        help_text=_("Of its board: what is compared from that version on counts this change."),
    )

    class Meta:
        verbose_name = _("change of a result")
        verbose_name_plural = _("changes of results")
        ordering = ["at", "pk"]

    def __str__(self) -> str:
        return self.reason


class Comparison(models.Model):
    """The points of every result of one board: three arrays in one order, exact integers over one denominator.

    One row a board instead of one a result: a field of half a million results is rescored by writing a thousand rows.
    """

    field_board = models.OneToOneField(FieldBoard, on_delete=models.CASCADE, related_name="comparison")
    results = ArrayField(models.BigIntegerField(), help_text=_("Result ids, ascending."))
    ns_points = ArrayField(models.BigIntegerField())
    ew_points = ArrayField(models.BigIntegerField())
    dropped = ArrayField(models.BooleanField(), help_text=_("Which results the datum left out."))
    denominator = models.PositiveBigIntegerField(default=1)
    top = models.PositiveBigIntegerField(
        null=True, help_text=_("Most matchpoints to be had, over the denominator.")
    )
    datum = models.SmallIntegerField(null=True)
    compared_at = models.DateTimeField(default=Moment, editable=False)

    class Meta:
        verbose_name = _("comparison")
        verbose_name_plural = _("comparisons")
        constraints = [
            models.CheckConstraint(
                condition=Q(results__len=F("ns_points__len")) & Q(results__len=F("ew_points__len")),
                name="comparison_arrays_have_one_length",
            ),
            models.CheckConstraint(
                condition=Q(denominator__gte=1), name="comparison_denominator_is_positive"
            ),
        ]

    def __str__(self) -> str:
        return f"comparison of {self.field_board}"
