"""Thousands of commands, each sent one to five times over lines that are cut: what was accepted happened once.

At the service that every command goes through, with real transactions on many connections; the same over HTTP, with
fewer, is in `test_faults`. A line is cut before the command arrives, in the middle of its transaction, or before the
answer is read; copies come late, from other connections, and crosswise with the next command.
"""

import queue
import random
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from uuid import UUID, uuid4

import pytest
from django.db import OperationalError, connection, transaction
from django.db.models import QuerySet

from apps.tables.hands import read_board
from apps.tables.models import Table, TableEvent
from apps.tables.refusals import Closed, Stale
from apps.tables.services import playing
from apps.tables.services.boards import open_next
from apps.tables.services.playing import Done, act
from apps.users.models import User
from bridge.auction import CALLS
from bridge.cards import deck
from bridge.errors import IllegalAction
from bridge.seats import Seat
from bridge.table import AskUndo, Claim, MakeCall, PlayCard, PlayerAction, TableState, apply, seats_to_act
from tests.faults.thorough import Tell, often
from tests.tables.tables import make_boards, make_cast, make_table, something, state_of, user_of

pytestmark = pytest.mark.django_db(transaction=True)

COMMANDS = often(10_000, usual=2000)
TABLES = 4
SENT = (1, 1, 1, 2, 2, 3, 4, 5)  # so many times
LOST, CUT, UNREAD = 0.02, 0.01, 0.05  # of what is sent: on the way, in its transaction, its answer
DECK = tuple(deck())


@dataclass(frozen=True, slots=True)
class Sent:
    """A command as it goes over the line, the same in every copy."""

    id: UUID
    user: User
    expect: int
    action: PlayerAction


@dataclass(slots=True)
class Evening:
    """A table, those who send to it, and what they have heard."""

    table: Table
    chance: random.Random
    users: dict[Seat, User]
    sent: list[Sent] = field(default_factory=list)
    heard: dict[UUID, int] = field(default_factory=dict)
    copies: "queue.Queue[Sent | None]" = field(default_factory=queue.Queue)
    counts: Counter[str] = field(default_factory=Counter)
    errors: list[BaseException] = field(default_factory=list)

    def send(self, command: Sent, chance: random.Random) -> Done | None:
        """Send it once. What is heard never contradicts what was heard before.

        Returns:
            What it has made, when the answer was read and it was accepted.
        """
        self.counts["sent"] += 1
        luck = chance.random()
        if luck < LOST:
            self.counts["lost"] += 1
            return None
        try:
            if luck < LOST + CUT:
                cut_in_the_middle(self.table, command)
            done = act(
                table_id=self.table.pk,
                user=command.user,
                command=command.id,
                expect=command.expect,
                action=command.action,
            )
        except OperationalError:
            self.counts["cut"] += 1
            connection.close()
            return None
        except (Stale, Closed, IllegalAction) as refused:
            if command.id in self.heard:
                raise AssertionError("what was accepted is refused") from refused
            self.counts[type(refused).__name__] += 1
            return None
        if luck > 1 - UNREAD:
            self.counts["unread"] += 1
            return None
        assert self.heard.setdefault(command.id, done.version) == done.version
        self.counts["again" if done.again else "new"] += 1
        return done

    def echo(self) -> None:
        """Send the copies that are still on their way, from another connection."""
        chance = random.Random(f"echo {self.table.pk}")
        try:
            while command := self.copies.get():
                self.send(command, chance)
        except BaseException as error:
            self.errors.append(error)
        finally:
            connection.close()

    def play(self, commands: int) -> None:
        """Play boards until so many commands were sent, among them some that are not allowed."""
        try:
            state = state_of(self.table)
            while len(self.sent) < commands:
                if state.is_over:
                    assert self.table.current
                    open_next(table_id=self.table.pk, position=self.table.current.position + 1)
                    state = state_of(self.table)
                if self.chance.random() < 0.15:
                    self.try_something(state)
                state = self.move(state)
        except BaseException as error:
            self.errors.append(error)
        finally:
            self.copies.put(None)
            connection.close()

    def move(self, state: TableState) -> TableState:
        """A legal call or card, until it is known what became of it; a player who never hears looks at the table."""
        (seat,) = seats_to_act(state)
        command = self.made(seat, something(state, self.chance))
        done = self.send_often(command)
        while done is None and (now := state_of(self.table)).version == state.version:
            done = self.send(command, self.chance)
        if done is None:
            return now
        after = apply(state, seat, command.action)
        if after.is_over:
            return state_of(self.table)
        self.table.version = done.version
        return after

    def made(self, seat: Seat, action: PlayerAction, *, expect: int | None = None) -> Sent:
        command = Sent(uuid4(), self.users[seat], self.table.version if expect is None else expect, action)
        self.sent.append(command)
        return command

    def send_often(self, command: Sent) -> Done | None:
        """Once to five times; some of the copies overtake one another."""
        done = None
        for _ in range(self.chance.choice(SENT) - 1):
            if self.chance.random() < 0.5:
                self.copies.put(command)
            else:
                done = self.send(command, self.chance) or done
        return self.send(command, self.chance) or done

    def try_something(self, state: TableState) -> None:
        """Out of turn, not held, not allowed, too old, or all of that; and something from long ago."""
        seat = self.chance.choice(list(Seat))
        actions: Sequence[PlayerAction] = (
            PlayCard(self.chance.choice(DECK)),
            MakeCall(self.chance.choice(CALLS)),
            Claim(14),
            AskUndo(),
        )
        action = self.chance.choice(actions)
        expect = self.table.version if self.chance.random() < 0.7 else max(0, self.table.version - 2)
        try:
            apply(state, seat, action)
        except IllegalAction:
            self.send_often(self.made(seat, action, expect=expect))
        if self.sent:
            self.copies.put(self.chance.choice(self.sent))


def cut_in_the_middle(table: Table, command: Sent) -> None:
    """The database ends the connection after everything was written and before it is for good.

    Raises:
        OperationalError: As whoever held the connection is told.
    """
    with transaction.atomic():
        act(
            table_id=table.pk,
            user=command.user,
            command=command.id,
            expect=command.expect,
            action=command.action,
        )
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")


def evening(number: int) -> Evening:
    cast = make_cast(f"{number} ")
    table = make_table(cast, boards=make_boards(60, seed=number), subject=str(number))
    users = {Seat.from_letter(seat): user_of(player) for seat, player in cast.items()}
    return Evening(Table.objects.get(pk=table.pk), random.Random(number), users)


def run(evenings: Sequence[Evening], commands: int) -> None:
    works = [(each.play, (commands // len(evenings),)) for each in evenings]
    threads = [threading.Thread(target=work, args=given) for work, given in works]
    threads += [threading.Thread(target=each.echo) for each in evenings]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(3600)
        assert not thread.is_alive()


def test_of_thousands_of_commands_sent_many_times_each_that_was_accepted_happened_once(
    record_property: Tell,
) -> None:
    evenings = [evening(number) for number in range(TABLES)]
    run(evenings, COMMANDS)
    counts = sum((each.counts for each in evenings), Counter[str]())
    print(dict(counts))
    for each in evenings:
        assert not each.errors, each.errors
        check(each)
    assert sum(len(each.sent) for each in evenings) >= COMMANDS
    assert all(counts[name] for name in ("lost", "cut", "unread", "new", "again", "Stale", "IllegalCard"))
    record_property("commands sent many times", COMMANDS)


def a_table_without_a_memory(patch: pytest.MonkeyPatch) -> None:
    """What a command has made already is not looked for."""
    patch.setattr(playing, "read_board", lambda table, _command=None: (read_board(table)[0], None))


def a_table_without_a_lock(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(QuerySet, "select_for_update", lambda query, **_: query)


@pytest.mark.parametrize("fault", [a_table_without_a_memory, a_table_without_a_lock])
def test_a_table_that_cannot_keep_the_promise_is_found_out(
    fault: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    fault(monkeypatch)
    evenings = [evening(number) for number in range(TABLES)]
    run(evenings, 1000)
    assert any(each.errors for each in evenings)


def check(each: Evening) -> None:
    """The log has what was accepted, once, in a row, and nothing else."""
    log = list(TableEvent.objects.filter(table=each.table).order_by("sequence"))
    assert [event.sequence for event in log] == list(range(1, len(log) + 1))
    assert max(Counter(event.command for event in log).values()) == 1
    in_log = {event.command: event.version for event in log}
    assert each.heard.items() <= in_log.items()
    assert in_log.keys() <= {command.id for command in each.sent}
