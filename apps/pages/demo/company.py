"""Simulated players at real tables: they call, play, claim, answer and get ready, through the services of people.

What there is to do is read off the database, for all tables at once, and only where something has changed. Each act has
an identity that follows from the board and its place in the log: a company may be killed anywhere and taken up again,
nothing is done twice. How long somebody thinks follows from the seed, the board and the moment in it.
"""

import logging
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any
from uuid import UUID, uuid5
from zlib import crc32

from django.db.models import QuerySet
from django.views.decorators.debug import sensitive_variables

from apps.tables.hands import STOP, Folded, read_boards
from apps.tables.models import Sitting, Table
from apps.tables.services import presence
from apps.tables.services.playing import act
from apps.tables.services.seating import be_ready
from apps.users.models import User
from bridge.errors import BridgeError
from bridge.robot import Tricks, choose
from bridge.seats import Seat
from bridge.table import PlayerAction, TableState, action_from_data, seats_to_act, view_to_data

log = logging.getLogger(__name__)

SIGN_OF_LIFE = 15.0  # seconds
FIRST_CALL, CALL, LEAD, CARD, ANSWER, NEXT_BOARD = (
    (4.0, 9.0),
    (2.0, 6.0),
    (2.5, 7.0),
    (1.0, 3.5),
    (2.0, 5.0),
    (3.0, 8.0),
)
"""Within how many seconds a simulated player does what is next."""


@dataclass(slots=True, repr=False)
class Deed:
    """Something that a player is going to do."""

    at: float
    user: User
    table_id: int
    expect: int
    command: UUID
    data: dict[str, Any]


@dataclass(slots=True)
class Company:
    """Simulated players at the tables of a purpose. What it keeps in memory can be found again in the database.

    Attributes:
        players: Ids of those who are simulated; whoever else sits there plays for themselves.
        occasion: Of the tables, such as a round; all if not given.
        speed: How much faster than people they are.
        versions: Of the tables, when they were last looked at.
        deeds: What each player is going to do, by table and seat.
        began: Since when each player has thought, and about what.
    """

    purpose: str
    players: Collection[int]
    occasion: str = ""
    seed: int = 0
    speed: float = 1.0
    versions: dict[int, int] = field(default_factory=dict)
    deeds: dict[tuple[int, str], Deed] = field(default_factory=dict)
    began: dict[tuple[int, str], tuple[object, float]] = field(default_factory=dict)
    seen_at: float = float("-inf")

    def take_turn(self) -> bool:
        """Look at what has changed, do what is due; whether there are tables at which they sit."""
        versions = dict(self._tables().values_list("pk", "version"))
        changed = [pk for pk, version in versions.items() if self.versions.get(pk) != version]
        self.deeds = {key: deed for key, deed in self.deeds.items() if key[0] in versions}
        self.began = {key: thought for key, thought in self.began.items() if key[0] in versions}
        self.versions = dict(versions)
        if changed:
            self._look(changed)
        if versions and time.monotonic() - self.seen_at > SIGN_OF_LIFE:
            self.seen_at = time.monotonic()
            presence.see(sittings=list(self._sittings(versions).values_list("pk", flat=True)))
        for deed in sorted(self._due(), key=lambda deed: deed.at):
            self._do(deed)
        return bool(versions)

    def _tables(self) -> "QuerySet[Table]":
        tables = Table.objects.filter(purpose=self.purpose).exclude(state=Table.State.OVER)
        if self.occasion:
            tables = tables.filter(occasion=self.occasion)
        return tables.filter(pk__in=Sitting.objects.filter(player__in=self.players).values("table"))

    def _sittings(self, tables: Collection[int]) -> "QuerySet[Sitting]":
        return Sitting.objects.filter(table__in=list(tables), player__in=self.players)

    @sensitive_variables()
    def _look(self, changed: list[int]) -> None:
        """What the players at these tables are going to do. Four queries, however many they are."""
        tables = Table.objects.in_bulk(changed)
        self.deeds = {key: deed for key, deed in self.deeds.items() if key[0] not in tables}
        boards = read_boards([table.current_id for table in tables.values() if table.current_id])
        for sitting in self._sittings(changed).select_related("player__user"):
            table = tables[sitting.table_id]
            folded = boards.get(table.current_id or 0)
            if folded and table.state == Table.State.PLAYING and sitting.player.user:
                self._plan(table, folded, sitting, sitting.player.user)

    @sensitive_variables()
    def _plan(self, table: Table, folded: Folded, sitting: Sitting, user: User) -> None:
        """What one of them is going to do, if it is for this player to do something."""
        state, data = folded.state, self._chosen(folded, sitting)
        if data is None:
            return
        key, stage = (table.pk, sitting.seat), (table.current_id, state.moved_at, data["do"])
        thought, since = self.began.get(key, (None, 0.0))
        if thought != stage:  # else something else has changed, and the player has thought all the time
            since = time.monotonic()
            self.began[key] = stage, since
        at = since + self._thinks(state, data["do"], f"{table.pk} {stage} {sitting.seat}")
        if data["do"] == "call" and state.stops:  # also who is in a hurry waits after a jump
            at = max(at, since + STOP.total_seconds())
        command = uuid5(table.uuid, f"robot {folded.sequence} {sitting.seat}")
        self.deeds[key] = Deed(at, user, table.pk, table.version, command, data)

    @sensitive_variables()
    def _chosen(self, folded: Folded, sitting: Sitting) -> dict[str, Any] | None:
        state, seat = folded.state, Seat.from_letter(sitting.seat)
        if state.is_over:
            return None if sitting.ready else {"do": "ready"}
        if seat in seats_to_act(state) or any(meaning.asked_by for meaning in state.meanings):
            board = view_to_data(folded.seen_by(seat))
            own = crc32(f"{self.seed} {sitting.player_id}".encode())  # else all tables would come to the same
            return choose(board, seed=own, temper=own % 5 - 2, tricks=_remembered(state))
        return None

    def _thinks(self, state: TableState, what: str, moment: str) -> float:
        """For how many seconds a player thinks."""
        trick = state.play.trick if state.play else None
        span = {"call": CALL if state.auction.calls else FIRST_CALL, "ready": NEXT_BOARD}.get(what, ANSWER)
        if what in ("play", "claim"):
            span = CARD if trick and trick.cards else LEAD
        return Random(f"{self.seed} {moment}").uniform(*span) / self.speed  # noqa: S311 - a pause is no secret

    def _due(self) -> Iterator[Deed]:
        now = time.monotonic()
        for key in [key for key, deed in self.deeds.items() if deed.at <= now]:
            yield self.deeds.pop(key)

    @sensitive_variables()
    def _do(self, deed: Deed) -> None:
        """Do it, if the table still allows it; else the next look says what is to be done."""
        try:
            if deed.data["do"] == "ready":
                be_ready(table_id=deed.table_id, user=deed.user)
                return
            action = action_from_data(deed.data)
            assert isinstance(action, PlayerAction)  # noqa: S101 - it reads no acts of the table's keeper
            act(
                table_id=deed.table_id,
                user=deed.user,
                command=deed.command,
                expect=deed.expect,
                action=action,
            )
        except (BridgeError, Sitting.DoesNotExist, Table.DoesNotExist) as refusal:
            log.info("a simulated player is refused: %s", refusal)
            if deed.data["do"] != "explain":  # what may not be explained is left until something changes
                self.versions.pop(deed.table_id, None)


def _remembered(state: TableState) -> Tricks:
    """What everybody at the table has seen."""
    return tuple((trick.leader, trick.cards) for trick in state.play.tricks) if state.play else ()
