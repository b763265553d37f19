"""Moments just before a step of an event, a series or a table, and what makes the step: the clock, or somebody.

`STEPS` says of each which kinds of due work it makes. `tests/faults/test_event_crash.py` kills them all.
"""

import random
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import timedelta
from decimal import Decimal
from functools import partial
from typing import Any
from uuid import uuid4

from django.db.models import Model

from apps.clock.models import DueWork
from apps.clock.services import tick
from apps.clock.time import move, now
from apps.masterpoints.transitions import AWARD
from apps.pairs.models import Entry, Round, Seat, Swiss
from apps.pairs.selectors.tables import UNANSWERED
from apps.pairs.services import desk
from apps.pairs.services.direction import AFTER_OUTAGE, Stale, pair_again, report_missing
from apps.pairs.services.disqualification import disqualify_pair
from apps.pairs.services.penalties import penalize_pair
from apps.pairs.services.registration import enter_pair, say_present, substitute, withdraw_pair
from apps.pairs.services.rounds import CLOSE, FINISH, OFFICIAL, OPEN, SETTLE, START
from apps.pairs.services.series import EXTEND, create_series
from apps.pairs.services.slips import Said, confirm_result, decide_result, say_result
from apps.pairs.services.tables import take_results
from apps.tables.models import DirectorCall, Table
from apps.tables.selectors import PROMPT_AFTER
from apps.tables.services import presence
from apps.tables.services.afterwards import ask_afterwards, let_stand
from apps.tables.services.boards import GONE, NEXT, TURN
from apps.tables.services.opening import House
from apps.tables.services.playing import PROMPTED, SILENCE, direct, prompt
from apps.users.models import Player, User
from bridge.auction import PASS
from bridge.table import AskUndo, MakeCall, Rule
from tests.faults.crash import Run
from tests.pairs.evening import enter_pairs, make_members, make_swiss, play_round, reload
from tests.tables.tables import do, make_member, make_table, play_board, user_of, who_acts

PAIRS, BOARDS = 9, 3


def bring_to(subject: Model, kind: str) -> None:
    """Let the clock do what comes before work of this kind, until that is due and not yet done."""
    while True:
        work = DueWork.objects.filter(state=DueWork.State.PLANNED).order_by("due_at", "pk")[0]
        move(max(work.due_at - now(), timedelta()) + timedelta(milliseconds=1))
        if work.kind == kind and work.subject == subject.pk:
            return
        tick(limit=1)


def player_at(swiss: Swiss, table: int, side: str) -> Player:
    seat = Seat.objects.get(round__swiss=swiss, round__state=Round.State.OPEN, table=table, side=side)
    return Player.objects.select_related("user").filter(entrants__entry=seat.contestant_id).order_by("pk")[0]


def say(swiss: Swiss, table: int, side: str, board: int, text: str) -> None:
    player = player_at(swiss, table, side)
    assert player.user
    said = Said.read(text)
    say_result(event_id=swiss.pk, board=board, said=said, by=player.user, player=player, command=uuid4())


def play(swiss: Swiss, number: int, gone: Entry | None = None) -> None:
    """A round with everything that can be unfinished: one word alone, two that differ, a board not played, a pair away."""
    first = BOARDS * (number - 1) + 1
    tables, skip = [1, 2, 3, 4], set()
    if gone and (
        seat := Seat.objects.filter(round__number=number, contestant=gone.pk).exclude(table=None).first()
    ):
        assert seat.table
        host = player_at(swiss, seat.table, "EW" if seat.side == "NS" else "NS")
        assert host.user
        report_missing(event_id=swiss.pk, player=host, by=host.user)
        tables.remove(seat.table)
        skip = {(seat.table, board) for board in range(first, first + BOARDS)}
    alone, disputed, unplayed = tables[:3]
    skip |= {(alone, first), (disputed, first + 1), (unplayed, first + 2)}
    play_round(swiss, random.Random(number), skip=skip)
    say(swiss, alone, "NS", first, "4S N =")
    say(swiss, disputed, "NS", first + 1, "3NT E -1")
    say(swiss, disputed, "EW", first + 1, "3NT E =")


def evening(rounds: int = 3, pairs: int = PAIRS) -> tuple[Swiss, list[Entry]]:
    tick()  # the pulse is going
    swiss = make_swiss(rounds=rounds, boards=BOARDS, presence_minutes=15, grace=5, late_until=3)
    entries = enter_pairs(swiss, pairs)
    for entry in entries[:-1]:
        say_present(event_id=swiss.pk, order=entry.contestant.order, by=None)
    return swiss, entries


# ---- moments just before a step, and what makes the step


def at_the_desk() -> Run:
    swiss, _ = evening()
    for place, player in enumerate(make_members(4, "Desk")):
        desk.sit_down(event_id=swiss.pk, player=player, table=1 + place // 2)
        desk.raise_hand(event_id=swiss.pk, player=player)
    bring_to(swiss, desk.ENTER)
    return tick


def before_the_start() -> Run:
    """One pair is missing, and the grace is over: it is left out, and the first round opens."""
    swiss, _ = evening()
    bring_to(swiss, START)
    tick(limit=1)
    bring_to(swiss, START)
    return tick


def between_rounds() -> Run:
    swiss, _ = evening()
    bring_to(swiss, CLOSE)
    play(swiss, 1)
    bring_to(swiss, OPEN)
    return tick


def before_the_bell() -> Run:
    """Of nine pairs one sits out, another is away for the second time."""
    swiss, entries = evening()
    say_present(event_id=swiss.pk, order=PAIRS, by=None)
    bring_to(swiss, CLOSE)
    play(swiss, 1, gone=entries[3])
    bring_to(swiss, OPEN)
    tick()
    play(swiss, 2, gone=entries[3])
    bring_to(swiss, CLOSE)
    return tick


def before_the_end() -> Run:
    swiss, _ = evening(rounds=1)
    bring_to(swiss, CLOSE)
    play(swiss, 1)
    bring_to(swiss, FINISH)
    return tick


def before_the_award() -> Run:
    before_the_end()
    tick(limit=1)
    assert DueWork.objects.filter(kind=AWARD, state=DueWork.State.PLANNED).exists()
    return tick


def before_it_is_official() -> Run:
    before_the_end()
    tick()
    bring_to(Swiss.objects.get(), OFFICIAL)
    return tick


def in_the_second_round() -> Swiss:
    between_rounds()
    tick()
    return Swiss.objects.get()


def late_entry() -> Run:
    swiss, players = in_the_second_round(), make_members(2, "Late")
    return partial(enter_pair, event_id=swiss.pk, players=players, by=None)


def withdrawal() -> Run:
    return partial(withdraw_pair, event_id=in_the_second_round().pk, order=3, by=None)


def at_tables(kind: str) -> Run:
    """An event that is played here: one table finishes a board that nobody has taken, another begins one, one is not there."""
    tick()
    swiss = make_swiss(rounds=2, boards=2, play=Swiss.Play.TABLES, cut=Swiss.Cut.CLOCK)
    enter_pairs(swiss, 7)
    bring_to(swiss, CLOSE)
    finished, begun, _empty = Table.objects.order_by("pk")
    play_board(finished)
    do(begun, who_acts(begun), MakeCall(PASS))
    if kind != CLOSE:
        bring_to(swiss, kind)
    return tick


def before_the_bell_at_tables() -> Run:
    return at_tables(CLOSE)


def between_rounds_at_tables() -> Run:
    return at_tables(OPEN)


def a_board_to_take() -> Run:
    at_tables(CLOSE)
    return partial(take_results, round_id=Round.objects.get(state=Round.State.OPEN).pk)


def director() -> User:
    return user_of(make_member("Dora", director=True))


def at_two_tables(**settings: Any) -> tuple[Swiss, Table]:
    """As small as an event is, near the bell of its first round, and a table with one call."""
    tick()
    swiss = make_swiss(boards=1, play=Swiss.Play.TABLES, **settings)
    enter_pairs(swiss, 4)
    bring_to(swiss, CLOSE)
    table = Table.objects.earliest("pk")
    do(table, who_acts(table), MakeCall(PASS))
    return swiss, table


def after_a_long_outage() -> Run:
    """Nobody has decided: the event goes on, and its round ends at once."""
    swiss, _ = at_two_tables(after_outage=Swiss.AfterOutage.CUT)
    move(timedelta(hours=1), outage=True)
    tick(limit=0)
    move(timedelta(minutes=1))  # or the tables would be looked at in the moment of the decision
    bring_to(swiss, AFTER_OUTAGE)
    return tick


def a_week_of_a_series() -> Run:
    tick()
    bring_to(create_series(event_id=make_swiss().pk, last_date=None, by=director()), EXTEND)
    return tick


# ---- at a table


def at_a_table(**house: Any) -> Table:
    tick()
    return make_table(house=House(**house))


def before_the_next_board() -> Run:
    table = at_a_table()
    for _ in range(4):
        do(table, who_acts(table), MakeCall(PASS))
    bring_to(table, NEXT)
    return tick


def after_a_slow_turn() -> Run:
    """The director is called."""
    bring_to(at_a_table(turn_seconds=30), TURN)
    return tick


def after_a_turn_that_never_ends() -> Run:
    """The director has not come, and the board is broken off."""
    table = at_a_table(turn_seconds=30, reconnect_seconds=30)
    bring_to(table, TURN)
    tick(limit=1)
    bring_to(table, TURN)
    return tick


def after_an_absence() -> Run:
    """Two of a casual table are gone: the board is broken off, and their seats are free."""
    table = at_a_table(casual=True)
    seen = list(table.sittings.order_by("pk").values_list("pk", flat=True))
    presence.see(sittings=seen)
    move(presence.SILENT + timedelta(seconds=1))
    presence.see(sittings=seen[:2])
    presence.miss_silent()
    bring_to(table, GONE)
    return tick


def after_silence() -> Run:
    """Nobody answers whether a call may be taken back."""
    table = at_a_table()
    asks = who_acts(table)
    do(table, asks, MakeCall(PASS))
    do(table, asks, AskUndo())
    bring_to(table, SILENCE)
    return tick


def after_a_prompt() -> Run:
    """Whoever was asked to act has not: the board is broken off, and the seat is free."""
    table = at_a_table(casual=True)
    slow = who_acts(table)
    move(PROMPT_AFTER + timedelta(seconds=5))
    other = table.sittings.exclude(player=slow)[0].player
    prompt(table_id=table.pk, user=user_of(other))
    bring_to(table, PROMPTED)
    return tick


def a_ruling_at_the_table() -> Run:
    table = at_a_table()
    play_board(table, until=lambda state: state.play is not None)
    return partial(
        direct, table_id=table.pk, by=director(), command=uuid4(), action=Rule(7), reason="a revoke"
    )


# ---- what a director decides, and what players do, each of them twice when the first time is not heard of


def in_the_first_round() -> Swiss:
    swiss, _ = evening(pairs=5)
    bring_to(swiss, CLOSE)
    return swiss


def a_round_seated_anew() -> Run:
    swiss, dora = in_the_first_round(), director()
    withdraw_pair(event_id=swiss.pk, order=3, by=None)
    expected = reload(swiss).schedule_version

    def run() -> None:
        with suppress(Stale):  # it was done, and the director is told to look
            pair_again(event_id=swiss.pk, expected=expected, by=dora, reason="pair 3 has left")

    return run


def a_disputed_board_decided() -> Run:
    swiss = in_the_first_round()
    say(swiss, 1, "NS", 1, "4S N =")
    say(swiss, 1, "EW", 1, "4S N -1")
    said = Said.read("4S N +1")
    decide = partial(decide_result, event_id=swiss.pk, number=1, table=1, board=1)
    return partial(decide, said=said, by=director(), reason="asked", command=uuid4())


def a_result_said_and_confirmed() -> Run:
    swiss = in_the_first_round()
    north, east = (player_at(swiss, 1, side) for side in ("NS", "EW"))
    board, said = {"event_id": swiss.pk, "board": 1}, Said.read("4S N =")
    commands = uuid4(), uuid4()

    def run() -> None:
        say_result(**board, said=said, by=user_of(north), player=north, command=commands[0])
        confirm_result(**board, version=1, by=user_of(east), player=east, command=commands[1])

    return run


def points_off() -> Run:
    swiss = in_the_first_round()
    tick(limit=1)  # there are standings
    return partial(
        penalize_pair,
        event_id=swiss.pk,
        order=2,
        points=Decimal("1.5"),
        by=director(),
        reason="late",
        command=uuid4(),
    )


def a_pair_disqualified_at_its_table() -> Run:
    swiss, table = at_two_tables()
    order = order_of(who_acts(table))
    return partial(disqualify_pair, event_id=swiss.pk, order=order, by=director(), reason="signals")


def a_substitute_in_the_middle_of_a_board() -> Run:
    swiss, table = at_two_tables()
    out, into = who_acts(table), make_member("Sam")
    return partial(substitute, event_id=swiss.pk, order=order_of(out), out=out, into=into, by=None)


def order_of(player: Player) -> int:
    return Entry.objects.get(entrants__player=player).contestant.order


def an_invitation_accepted() -> Run:
    """The one who accepts was asked by another as well."""
    swiss, _ = evening(pairs=2)
    nora, sue, rose = make_members(3, "Asked")
    invitation, _other = (
        desk.invite(event_id=swiss.pk, player=by, partner=sue, by=user_of(by)) for by in (nora, rose)
    )
    return partial(
        desk.answer_invitation, invitation_id=invitation.pk, player=sue, accept=True, by=user_of(sue)
    )


def a_question() -> Callable[[], DirectorCall]:
    """North asks about a board when the table is closed and the event over."""
    _, table = at_two_tables(rounds=1)
    for _ in range(3):
        do(table, who_acts(table), MakeCall(PASS))
    tick()
    board = table.boards.get(position=1)
    north = user_of(Player.objects.get(pk=board.players[0]))
    return partial(
        ask_afterwards, table_board_id=board.pk, user=north, command=uuid4(), text="East hesitated"
    )


def a_question_asked_and_answered() -> Run:
    dora, ask = director(), a_question()
    return lambda: let_stand(call_id=ask().pk, by=dora, reason="no damage was done")


def a_question_that_nobody_answers() -> Run:
    """The result was not made final for it, and is now."""
    ask = a_question()
    ask()
    bring_to(Swiss.objects.get(), UNANSWERED)
    return tick


STEPS: Mapping[Callable[[], Run], set[str]] = {
    at_the_desk: {desk.ENTER},
    late_entry: set(),
    withdrawal: set(),
    before_the_start: {START, OPEN},
    between_rounds: {OPEN},
    before_the_bell: {CLOSE, SETTLE},
    before_the_end: {FINISH, AWARD},
    before_the_award: {AWARD},
    before_it_is_official: {OFFICIAL},
    between_rounds_at_tables: {OPEN},
    before_the_bell_at_tables: {CLOSE, SETTLE},
    a_board_to_take: set(),
    after_a_long_outage: {AFTER_OUTAGE, CLOSE, SETTLE},
    a_week_of_a_series: {EXTEND},
    before_the_next_board: {NEXT},
    after_a_slow_turn: {TURN},
    after_a_turn_that_never_ends: {TURN},
    after_an_absence: {GONE},
    after_silence: {SILENCE},
    after_a_prompt: {PROMPTED},
    a_ruling_at_the_table: set(),
    a_round_seated_anew: set(),
    a_disputed_board_decided: set(),
    a_result_said_and_confirmed: set(),
    points_off: set(),
    a_pair_disqualified_at_its_table: set(),
    a_substitute_in_the_middle_of_a_board: set(),
    an_invitation_accepted: set(),
    a_question_asked_and_answered: set(),
    a_question_that_nobody_answers: {UNANSWERED},
}
"""Each with the kinds of due work that it makes."""
