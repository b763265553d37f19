"""Boards: a number, a dealer, a vulnerability and, when known, the cards; and what the cards can make."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class BoardSet(models.Model):
    """Boards dealt or imported together: the boards of one session."""

    name = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class Board(models.Model):
    """One board of a set."""

    class Vulnerable(models.TextChoices):
        NONE = "None", _("none vulnerable")
        NS = "NS", _("North–South vulnerable")
        EW = "EW", _("East–West vulnerable")
        BOTH = "Both", _("both vulnerable")

    board_set = models.ForeignKey(BoardSet, on_delete=models.CASCADE, related_name="boards")
    number = models.PositiveSmallIntegerField()
    dealer = models.CharField(max_length=1, choices=[(seat, seat) for seat in "NESW"])
    vulnerable = models.CharField(max_length=4, choices=Vulnerable)
    deal = models.CharField(
        max_length=80,
        blank=True,
        help_text=_("The cards in PBN form, North first; empty when nobody recorded them."),
    )
    par_score = models.SmallIntegerField(null=True, blank=True, help_text=_("North–South's score at par."))
    par_contracts = models.CharField(max_length=200, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["board_set", "number"], name="board_number_once_a_set"),
            models.CheckConstraint(condition=models.Q(number__gte=1), name="board_number_from_one"),
            models.CheckConstraint(
                condition=models.Q(dealer__in=["N", "E", "S", "W"]), name="board_dealer_is_a_seat"
            ),
            models.CheckConstraint(
                condition=models.Q(vulnerable__in=["None", "NS", "EW", "Both"]),
                name="board_vulnerable_is_known",
            ),
        ]
        indexes = [
            models.Index(
                fields=["deal"],
                condition=models.Q(par_score=None) & ~models.Q(deal=""),
                name="board_unsolved",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.board_set} {self.number}"


class DoubleDummy(models.Model):
    """How many tricks each seat makes in each strain with all cards seen. One row a deal, for ever."""

    deal = models.CharField(max_length=80, unique=True)
    tricks = models.CharField(
        max_length=20,
        help_text=_("Twenty hexadecimal digits: seats N S E W, in each the strains NT S H D C."),
    )
    solved_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(tricks__regex=r"^[0-9a-d]{20}$"), name="double_dummy_has_20_digits"
            ),
        ]

    def __str__(self) -> str:
        return self.deal
