"""Boards: a number, a dealer, a vulnerability and, when known, the cards; what the cards can make; promised deals."""

from django.conf import settings
from django.db import models
from django.db.models import F, Func, Q, Value
from django.db.models.functions import Now
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _
from django.views.decorators.debug import sensitive_variables

from bridge.dealing import DealingError, commitment

COMMITMENT_OF_THE_SEED = Func(
    Func(
        Func(F("seed"), Value("hex"), function="decode"),
        Func(F("name"), Value("UTF8"), function="convert_to"),
        arg_joiner=" || ",  # named in the order of the alphabet, as migrations do, or Django sees a change in it
        function="sha256",
    ),
    Value("hex"),
    function="encode",
)
"""`bridge.dealing.commitment` as PostgreSQL computes it."""


class Seal(models.Model):
    """A promise of deals: the commitment is public before any card is dealt, the seed when all boards are played.

    Until then the seed stands here masked under the site's secret key, so that neither a backup nor a page, a log or a
    query shows what is going to be dealt.
    """

    name = models.CharField(
        _("name of the seal"), max_length=100, unique=True, help_text=_("It goes into every deal.")
    )
    commitment = models.CharField(_("commitment"), max_length=64, unique=True)
    masked_seed = models.BinaryField(_("masked seed"), editable=False)
    seed = models.CharField(
        _("seed"), max_length=64, blank=True, help_text=_("Hexadecimal; empty until it is revealed.")
    )
    sealed_at = models.DateTimeField(_("sealed"), db_default=Now())
    revealed_at = models.DateTimeField(_("revealed"), null=True, blank=True)

    class Meta:
        verbose_name = _("seal")
        verbose_name_plural = _("seals")
        constraints = [
            models.CheckConstraint(
                condition=Q(commitment__regex=r"^[0-9a-f]{64}$"), name="seal_commitment_is_sha256"
            ),
            models.CheckConstraint(
                condition=Q(revealed_at=None, seed="")
                | Q(revealed_at__isnull=False, seed__regex=r"^[0-9a-f]{64}$"),
                name="seal_seed_is_seen_when_revealed",
            ),
            models.CheckConstraint(
                condition=Q(seed="") | Q(commitment=COMMITMENT_OF_THE_SEED),
                name="seal_seed_keeps_the_promise",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_revealed(self) -> bool:
        return self.revealed_at is not None

    @sensitive_variables()
    def hide(self, seed: bytes) -> None:
        """Promise the deals of this seed."""
        self.commitment = commitment(seed, self.name)
        self.masked_seed = self._masked(seed, settings.SECRET_KEY)

    @sensitive_variables()
    def secret(self) -> bytes:
        """The seed, revealed or not. Only dealing, revealing and checking ask for it; it goes no further.

        Raises:
            DealingError: The secret key of the site is another one than when the seed was hidden.
        """
        if self.is_revealed:
            return bytes.fromhex(self.seed)
        for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
            seed = self._masked(bytes(self.masked_seed), key)
            if commitment(seed, self.name) == self.commitment:
                return seed
        raise DealingError(
            "The seed of %(name)s cannot be read: the site's secret key has changed.", name=self.name
        )

    @sensitive_variables()
    def _masked(self, seed: bytes, key: str | bytes) -> bytes:
        """The seed under a mask that no other seed gets, or without it again."""
        mask = salted_hmac("apps.boards.models.Seal", self.commitment, key, algorithm="sha256").digest()
        return bytes(left ^ right for left, right in zip(seed, mask, strict=True))


class BoardSet(models.Model):
    """Boards dealt or imported together: the boards of one session."""

    name = models.CharField(_("name of the set"), max_length=200)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    seal = models.ForeignKey(
        Seal,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="board_sets",
        help_text=_("Where the cards come from when they were dealt here."),
        verbose_name=_("seal"),
    )
    round_number = models.PositiveSmallIntegerField(_("round"), null=True, blank=True)

    class Meta:
        verbose_name = _("board set")
        verbose_name_plural = _("board sets")
        constraints = [
            models.UniqueConstraint(fields=["seal", "round_number"], name="board_set_once_a_round"),
            models.CheckConstraint(
                condition=Q(seal=None, round_number=None) | Q(seal__isnull=False, round_number__gte=1),
                name="board_set_sealed_has_its_round",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Board(models.Model):
    """One board of a set."""

    class Vulnerable(models.TextChoices):
        NONE = "None", _("none vulnerable")
        NS = "NS", _("North–South vulnerable")
        EW = "EW", _("East–West vulnerable")
        BOTH = "Both", _("both vulnerable")

    class Dealer(models.TextChoices):
        NORTH = "N", _("North")
        EAST = "E", _("East")
        SOUTH = "S", _("South")
        WEST = "W", _("West")

    board_set = models.ForeignKey(
        BoardSet, on_delete=models.CASCADE, related_name="boards", verbose_name=_("board set")
    )
    number = models.PositiveSmallIntegerField(_("number"))
    dealer = models.CharField(_("dealer"), max_length=1, choices=Dealer)
    vulnerable = models.CharField(_("vulnerability"), max_length=4, choices=Vulnerable)
    deal = models.CharField(
        _("cards"),
        max_length=80,
        blank=True,
        help_text=_("The cards in PBN form, North first; empty when nobody recorded them."),
    )
    par_score = models.SmallIntegerField(
        _("par score"), null=True, blank=True, help_text=_("North–South's score at par.")
    )
    par_contracts = models.CharField(_("par contracts"), max_length=200, blank=True)

    class Meta:
        verbose_name = _("board")
        verbose_name_plural = _("boards")
        constraints = [
            models.UniqueConstraint(fields=["board_set", "number"], name="board_number_once_a_set"),
            models.CheckConstraint(condition=Q(number__gte=1), name="board_number_from_one"),
            models.CheckConstraint(
                condition=Q(dealer__in=["N", "E", "S", "W"]), name="board_dealer_is_a_seat"
            ),
            models.CheckConstraint(
                condition=Q(vulnerable__in=["None", "NS", "EW", "Both"]),
                name="board_vulnerable_is_known",
            ),
        ]
        indexes = [
            models.Index(
                fields=["deal"],
                condition=Q(par_score=None) & ~Q(deal=""),
                name="board_unsolved",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.board_set} {self.number}"


class DoubleDummy(models.Model):
    """How many tricks each seat makes in each strain with all cards seen. One row a deal, for ever."""

    deal = models.CharField(_("cards"), max_length=80, unique=True)
    tricks = models.CharField(
        _("tricks"),
        max_length=20,
        help_text=_("Twenty hexadecimal digits: seats N S E W, in each the strains NT S H D C."),
    )
    solved_at = models.DateTimeField(_("solved"), auto_now_add=True)

    class Meta:
        verbose_name = _("double-dummy table")
        verbose_name_plural = _("double-dummy tables")
        constraints = [
            models.CheckConstraint(
                condition=Q(tricks__regex=r"^[0-9a-d]{20}$"), name="double_dummy_has_20_digits"
            ),
        ]

    def __str__(self) -> str:
        return self.deal


class SolvedPlay(models.Model):
    """The play of a board, and what each of its cards was worth with all cards seen. One row a play, for ever.

    Whoever wants to know asks, and the row is there from then on; the solver fills it in.
    """

    deal = models.CharField(_("cards"), max_length=80)
    strain = models.CharField(_("strain"), max_length=2)
    declarer = models.CharField(_("declarer"), max_length=1, choices=Board.Dealer)
    cards = models.CharField(
        _("what was played"),
        max_length=104,
        blank=True,
        help_text=_("Suit and rank of each card, in the order of the play."),
    )
    tricks = models.JSONField(
        _("tricks"),
        null=True,
        blank=True,
        help_text=_("Of declarer’s side, by each card that could be played; empty until it is solved."),
    )
    asked_at = models.DateTimeField(_("asked"), auto_now_add=True)

    class Meta:
        verbose_name = _("solved play")
        verbose_name_plural = _("solved plays")
        constraints = [
            models.UniqueConstraint(fields=["deal", "strain", "declarer", "cards"], name="solved_play_once"),
            models.CheckConstraint(
                condition=Q(strain__in=["NT", "S", "H", "D", "C"], declarer__in=["N", "E", "S", "W"]),
                name="solved_play_has_its_contract",
            ),
            models.CheckConstraint(
                condition=Q(cards__regex=r"^([SHDC][2-9TJQKA]){0,52}$"), name="solved_play_is_of_cards"
            ),
        ]
        indexes = [models.Index(fields=["id"], condition=Q(tricks__isnull=True), name="solved_play_asked")]

    def __str__(self) -> str:
        return f"{self.strain} {self.declarer} {self.cards}"
