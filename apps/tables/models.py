"""Tables: four seats, a queue of boards, and a log that says everything that was done there.

The log is the only truth about a board: calls, cards, claims and rulings stand there and nowhere else, and what a board
came to is written down once, when it has ended. Nothing here holds a hand; a board's cards stay with the board.
"""

import uuid

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.urls import reverse
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from apps.users.models import Player, User

SEATS = [("N", _("North")), ("E", _("East")), ("S", _("South")), ("W", _("West"))]
LETTERS = [letter for letter, _name in SEATS]


class Table(models.Model):
    """A table. Whoever opens it says what for, and under which key of its own it will know it again."""

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting for players")
        PLAYING = "playing", pgettext_lazy("a table", "playing")
        OVER = "over", _("over")

    class Why(models.TextChoices):
        FINISHED = "finished", _("all boards were played")
        CUT = "cut", _("the time was up")
        EMPTY = "empty", _("the players have left")
        LEFT = "left", _("a pair does not play on")
        VOID = "void", _("called off")

    uuid = models.UUIDField(_("address"), unique=True, default=uuid.uuid4, editable=False)
    purpose = models.CharField(
        _("purpose"), max_length=40, help_text=_("What it is for, such as “practice”.")
    )
    occasion = models.CharField(
        _("occasion"), max_length=80, help_text=_("What tables end together: a round, for instance.")
    )
    subject = models.CharField(
        _("subject"), max_length=80, help_text=_("Which one it is, in the words of who opened it.")
    )
    title = models.CharField(_("title"), max_length=200)
    round_number = models.PositiveSmallIntegerField(
        _("round"), null=True, blank=True, help_text=_("Of an event, which is the title then.")
    )
    number = models.PositiveSmallIntegerField(
        _("table"), null=True, blank=True, help_text=_("Its number in the round.")
    )
    back = models.CharField(
        _("page to go back to"), max_length=300, help_text=_("The page that players go back to.")
    )
    state = models.CharField(_("state"), max_length=7, choices=State, default=State.WAITING)
    why = models.CharField(
        _("how it ended"), max_length=8, choices=Why, blank=True, help_text=_("Why it is over.")
    )
    version = models.PositiveBigIntegerField(
        _("version"), default=0, help_text=_("Moves with all that anybody can see.")
    )
    sequence = models.PositiveBigIntegerField(
        _("events in the log"), default=0, help_text=_("How many events the log has.")
    )
    around = models.PositiveBigIntegerField(
        _("changes beside the log"),
        default=0,
        help_text=_("Moves with what is not in the log: who sits there, which boards, what was said."),
    )
    current = models.ForeignKey(
        "TableBoard",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text=_("The board that lies there, also when it is over and the next one has not come yet."),
        verbose_name=_("current board"),
    )
    rules = models.JSONField(
        _("rules"), default=dict, help_text=_("What the Laws leave to whoever runs the game.")
    )
    casual = models.BooleanField(
        _("open to everybody"),
        default=False,
        help_text=_("Anybody may take a free seat, and leave between boards."),
    )
    turn_seconds = models.PositiveIntegerField(
        _("seconds for a call or card"), null=True, blank=True, help_text=_("For one call or card.")
    )
    reconnect_seconds = models.PositiveIntegerField(
        _("seconds to come back"), default=120, help_text=_("A player may be away so long on a board.")
    )
    pause_seconds = models.PositiveIntegerField(
        _("seconds between boards"), default=15, help_text=_("Between two boards, unless all are ready.")
    )
    prompted_at = models.DateTimeField(
        _("asked"),
        null=True,
        blank=True,
        help_text=_("When the others last asked whoever is on turn to act."),
    )
    prompted_by = models.CharField(
        _("asked by"), max_length=1, blank=True, choices=SEATS, help_text=_("The seat that asked.")
    )
    opened_at = models.DateTimeField(_("opened"))
    closes_at = models.DateTimeField(
        _("closes"), null=True, blank=True, help_text=_("When the bell is going to ring.")
    )
    closed_at = models.DateTimeField(_("closed"), null=True, blank=True)

    class Meta:
        verbose_name = _("table")
        verbose_name_plural = _("tables")
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "playing"], why="", closed_at=None)
                | Q(
                    state="over",
                    why__in=["finished", "cut", "empty", "left", "void"],
                    closed_at__isnull=False,
                ),
                name="table_over_says_why",
            ),
            models.CheckConstraint(
                condition=~Q(state="playing") | Q(current__isnull=False), name="table_playing_has_a_board"
            ),
            models.CheckConstraint(
                condition=Q(sequence__lte=F("version")), name="table_version_follows_the_log"
            ),
            models.UniqueConstraint(fields=["purpose", "subject"], name="table_once_a_subject"),
            models.CheckConstraint(
                condition=Q(round_number=None, number=None)
                | Q(round_number__isnull=False, number__isnull=False),
                name="table_of_a_round_has_a_number",
            ),
        ]
        indexes = [
            models.Index(fields=["purpose", "occasion"], name="table_of_occasion"),
        ]

    def __str__(self) -> str:
        return f"{self.title} {self.pk}"

    def get_absolute_url(self) -> str:
        return reverse("tables:table", args=[self.uuid])

    @property
    def name(self) -> str:
        """In the reader's language: what it is, or of which event which round and table."""
        if self.round_number is None:
            return gettext(self.title)
        return gettext("%(event)s, round %(round)s, table %(table)s") % {
            "event": self.title,
            "round": self.round_number,
            "table": self.number,
        }

    @property
    def is_over(self) -> bool:
        return self.state == Table.State.OVER

    @property
    def free(self) -> list[str]:
        """The seats that anybody may take, where anybody may: robots make room."""
        taken = {
            sitting.seat
            for sitting in self.sittings.all()
            if sitting.gone_at is None and not sitting.player.is_robot
        }
        return (
            [letter for letter in LETTERS if letter not in taken] if self.casual and not self.is_over else []
        )


class Sitting(models.Model):
    """Who sits where, since when, and when this player was last heard of. An empty chair has no row."""

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="sittings")
    seat = models.CharField(max_length=1, choices=SEATS)
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="sittings")
    title = models.CharField(max_length=60, blank=True, help_text=_("Shown beside the name."))
    sat_at = models.DateTimeField()
    ready = models.BooleanField(default=False, help_text=_("For the next board."))
    leaving = models.BooleanField(default=False, help_text=_("After the board."))
    last_seen = models.DateTimeField(
        null=True, blank=True, help_text=_("Empty until the player came for the first time.")
    )
    gone_at = models.DateTimeField(
        null=True, blank=True, help_text=_("Since when nothing was heard of the player.")
    )
    away = models.PositiveIntegerField(
        default=0, help_text=_("Seconds on this board, absences that are over.")
    )

    class Meta:
        verbose_name = _("sitting")
        verbose_name_plural = _("sittings")
        constraints = [
            models.UniqueConstraint(fields=["table", "seat"], name="sitting_one_a_seat"),
            models.UniqueConstraint(fields=["table", "player"], name="sitting_one_a_player"),
            models.CheckConstraint(condition=Q(seat__in=LETTERS), name="sitting_seat_is_a_seat"),
        ]

    def __str__(self) -> str:
        return f"{self.table} {self.seat}"


class TableBoard(models.Model):
    """A board of a table's queue: what it came to, once it has ended, and how long each side thought."""

    class State(models.TextChoices):
        WAITING = "waiting", _("to come")
        PLAYING = "playing", _("being played")
        OVER = "over", _("over")

    class How(models.TextChoices):
        """As `bridge.table.How` names them, and a board that was called off."""

        PASSED_OUT = "passed out", _("passed out")
        PLAYED = "played", _("played")
        CLAIMED = "claimed", _("claimed")
        RULED = "ruled", _("decided by the director")
        CUT = "cut", _("not finished in time")
        ABANDONED = "abandoned", _("broken off")
        VOID = "void", _("called off")

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="boards")
    position = models.PositiveSmallIntegerField()
    board = models.ForeignKey("boards.Board", on_delete=models.PROTECT, related_name="table_boards")
    state = models.CharField(max_length=7, choices=State, default=State.WAITING)
    opened_at = models.DateTimeField(null=True, blank=True)
    opened_version = models.PositiveBigIntegerField(
        null=True, blank=True, help_text=_("The table's, when it opened.")
    )
    ended_at = models.DateTimeField(null=True, blank=True)
    how = models.CharField(max_length=10, choices=How, blank=True)
    contract = models.CharField(
        max_length=5, blank=True, help_text=_("Such as 4SX; empty when passed out or not played.")
    )
    declarer = models.CharField(max_length=1, blank=True)
    tricks = models.PositiveSmallIntegerField(null=True, blank=True)
    lead = models.CharField(max_length=2, blank=True)
    ns_score = models.SmallIntegerField(null=True, blank=True)
    ruling = models.JSONField(null=True, blank=True, help_text=_("The director's award to each side."))
    gone = models.CharField(
        max_length=4, blank=True, help_text=_("Seats whose players were gone when it was broken off.")
    )
    ns_seconds = models.PositiveIntegerField(
        default=0, help_text=_("For which the table waited for North–South.")
    )
    ew_seconds = models.PositiveIntegerField(default=0)
    players = ArrayField(
        models.BigIntegerField(), default=list, help_text=_("Who sat North, East, South, West at the end.")
    )
    taken_at = models.DateTimeField(
        null=True, blank=True, help_text=_("When whoever opened the table took the result.")
    )

    class Meta:
        verbose_name = _("board at a table")
        verbose_name_plural = _("boards at tables")
        constraints = [
            models.UniqueConstraint(fields=["table", "position"], name="table_board_once_a_position"),
            models.UniqueConstraint(fields=["table", "board"], name="table_board_once_a_board"),
            models.UniqueConstraint(
                fields=["table"], condition=Q(state="playing"), name="table_board_one_is_played"
            ),
            models.CheckConstraint(
                condition=Q(state="waiting", opened_at=None, ended_at=None, how="")
                | Q(state="playing", opened_at__isnull=False, ended_at=None, how="")
                | Q(state="over", ended_at__isnull=False) & ~Q(how=""),
                name="table_board_state_fits_its_times",
            ),
            models.CheckConstraint(
                condition=Q(contract="", declarer="", tricks=None)
                | Q(contract__regex=r"^[1-7](NT|[SHDC])X{0,2}$", declarer__in=LETTERS, tricks__range=(0, 13)),
                name="table_board_contract_is_possible",
            ),
            models.CheckConstraint(
                condition=Q(taken_at=None) | Q(state="over"), name="table_board_taken_when_over"
            ),
        ]
        indexes = [
            models.Index(fields=["id"], condition=Q(state="over", taken_at=None), name="table_board_untaken"),
        ]

    def __str__(self) -> str:
        return f"{self.table} {self.position}"

    def get_absolute_url(self) -> str:
        return reverse("tables:board", args=[self.table.uuid, self.position])

    @property
    def is_broken_off(self) -> bool:
        """Whether it ended before it was played: others may still play its cards, and whoever sat there has not seen all."""
        return self.how in (self.How.CUT, self.How.ABANDONED, self.How.VOID)


class TableEvent(models.Model):
    """Something that was done at a table. The database refuses to change or delete it."""

    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="events")
    sequence = models.PositiveBigIntegerField(help_text=_("From 1 without a gap."))
    version = models.PositiveBigIntegerField(help_text=_("The table's, after it."))
    table_board = models.ForeignKey(TableBoard, on_delete=models.PROTECT, related_name="events")
    command = models.UUIDField(help_text=_("One command has one effect, however often it comes."))
    at = models.DateTimeField()
    seat = models.CharField(
        max_length=1, blank=True, choices=SEATS, help_text=_("Empty for the clock and directors.")
    )
    actor_id = models.BigIntegerField(null=True, help_text=_("A user; nobody is the clock itself."))
    action = models.JSONField()

    class Meta:
        verbose_name = _("table event")
        verbose_name_plural = _("table events")
        constraints = [
            models.UniqueConstraint(fields=["table", "sequence"], name="table_event_once_a_sequence"),
            models.UniqueConstraint(fields=["table", "command"], name="table_event_command_has_one_effect"),
            models.CheckConstraint(
                condition=Q(sequence__gte=1, version__gte=F("sequence")), name="table_event_is_numbered"
            ),
        ]
        indexes = [models.Index(fields=["table_board", "sequence"], name="table_event_of_board")]

    def __str__(self) -> str:
        return f"{self.table_id} {self.sequence}"


class TableWord(models.Model):
    """Something that was said at a table: to all, or to the opponents. Never to partner alone."""

    class To(models.TextChoices):
        TABLE = "table", _("the table")
        OPPONENTS = "opponents", _("the opponents")

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="words", verbose_name=_("table"))
    command = models.UUIDField(_("command"))
    at = models.DateTimeField(_("when"))
    seat = models.CharField(
        _("seat"), max_length=1, blank=True, choices=SEATS, help_text=_("Empty for a director.")
    )
    user = models.ForeignKey(
        User, on_delete=models.SET_NULL, null=True, related_name="+", verbose_name=_("account")
    )
    to = models.CharField(_("said to"), max_length=9, choices=To)
    text = models.CharField(_("words"), max_length=300)

    class Meta:
        verbose_name = _("word at a table")
        verbose_name_plural = _("words at tables")
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["table", "command"], name="table_word_is_said_once"),
            models.CheckConstraint(
                condition=Q(to__in=["table", "opponents"]), name="table_word_is_never_for_partner"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.table_id} {self.seat}"


class DirectorCall(models.Model):
    """A table that asks for the director, until one says that it is settled.

    Afterwards, when the table is closed, a side asks about one of its boards, and gets an answer.
    """

    class Verdict(models.TextChoices):
        STANDS = "stands", _("the result stands")
        CORRECTED = "corrected", _("the result was corrected")
        NONE = "no answer", _("nobody answered in time, and the result is final")

    table = models.ForeignKey(
        Table, on_delete=models.CASCADE, related_name="director_calls", verbose_name=_("table")
    )
    table_board = models.ForeignKey(
        TableBoard, on_delete=models.CASCADE, null=True, related_name="+", verbose_name=_("board")
    )
    command = models.UUIDField(_("command"))
    at = models.DateTimeField(_("when"))
    seat = models.CharField(
        _("seat"), max_length=1, blank=True, choices=SEATS, help_text=_("Empty when the clock calls.")
    )
    text = models.CharField(_("words"), max_length=300, blank=True)
    afterwards = models.BooleanField(
        _("afterwards"), default=False, help_text=_("Asked about a board when the table was closed.")
    )
    verdict = models.CharField(_("decision"), max_length=9, choices=Verdict, blank=True)
    answer = models.CharField(
        _("reason"), max_length=300, blank=True, help_text=_("Why it was decided so, for both sides.")
    )
    settled_at = models.DateTimeField(_("settled"), null=True, blank=True)
    settled_by = models.ForeignKey(
        User, on_delete=models.SET_NULL, null=True, related_name="+", verbose_name=_("settled by")
    )

    class Meta:
        verbose_name = _("call for the director")
        verbose_name_plural = _("calls for the director")
        constraints = [
            models.UniqueConstraint(fields=["table", "command"], name="director_call_once"),
            models.CheckConstraint(
                condition=Q(afterwards=False, verdict="", answer="")
                | Q(afterwards=True, table_board__isnull=False)
                & ~Q(seat="")
                & ~Q(text="")
                & (
                    Q(settled_at=None, verdict="", answer="")
                    | Q(settled_at__isnull=False, verdict="corrected")
                    | Q(settled_at__isnull=False, verdict="no answer", answer="")
                    | Q(settled_at__isnull=False, verdict="stands") & ~Q(answer="")
                ),
                name="director_call_afterwards_is_answered",
            ),
        ]
        indexes = [
            models.Index(fields=["table", "id"], condition=Q(settled_at=None), name="director_call_open")
        ]

    def __str__(self) -> str:
        return f"{self.table_id} {self.seat}"

    def get_absolute_url(self) -> str:
        """Where a director sees what it is about, and decides."""
        if self.afterwards and self.table_board:
            return reverse("tables:board", args=[self.table.uuid, self.table_board.position]) + "#questions"
        return f"{self.table.get_absolute_url()}?as=director"

    @property
    def is_of_player(self) -> bool:
        """Whether a player called of his own accord: the commands of people are of version 4."""
        return self.command.version == 4

    def is_of(self, seat: str) -> bool:
        """Whether the player on this seat did."""
        return self.seat == seat and self.is_of_player


class StoredMeaning(models.Model):
    """What a call usually means when this player makes it in such a place; offered, never sent by itself."""

    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="meanings")
    key = models.CharField(max_length=60, help_text=_("The calls before it and itself, such as “1S 2D”."))
    text = models.CharField(max_length=200)
    used_at = models.DateTimeField()

    class Meta:
        verbose_name = _("stored meaning")
        verbose_name_plural = _("stored meanings")
        constraints = [models.UniqueConstraint(fields=["player", "key"], name="stored_meaning_once_a_key")]

    def __str__(self) -> str:
        return self.key
