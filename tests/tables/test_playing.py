"""Calls and cards at a table: accepted once and in the log, or refused with a reason and nowhere."""

from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction
from django.db.utils import DatabaseError

from apps.clock.models import AuditEntry
from apps.tables.models import DirectorCall, Sitting, StoredMeaning, Table, TableBoard, TableEvent
from apps.tables.refusals import Closed, Refused, Stale
from apps.tables.selectors import boards_to_take, snapshot, usual_meanings
from apps.tables.services.closing import void_table
from apps.tables.services.opening import House
from apps.tables.services.playing import direct
from apps.users.models import Player
from bridge.auction import BIDS, PASS
from bridge.awards import Grade, Ruling
from bridge.errors import IllegalCall
from bridge.seats import Seat, dealer
from bridge.table import (
    AnswerClaim,
    AnswerUndo,
    AskAbout,
    AskUndo,
    Claim,
    DecidedBy,
    Explain,
    How,
    MakeCall,
    PlayOn,
    Rule,
    TableRules,
    TakeBack,
)
from tests.pairs.evening import pass_time
from tests.tables.tables import (
    do,
    make_cast,
    make_member,
    make_table,
    play_board,
    state_of,
    user_of,
    who_acts,
    whole,
)

pytestmark = pytest.mark.django_db
OPENING = BIDS[0]


# ---- what is accepted


def test_a_board_is_played_to_its_end_and_written_down() -> None:
    table = make_table()
    state = play_board(table, until=whole)
    board = table.boards.get(position=1)
    assert state.ending
    assert (board.how, board.tricks) == (state.ending.how, state.ending.tricks) == (How.PLAYED, board.tricks)
    assert board.state == TableBoard.State.OVER
    assert board.players == list(table.sittings.order_by("pk").values_list("player", flat=True))
    assert board.ns_score is not None
    assert board.lead
    sequences = list(table.events.order_by("sequence").values_list("sequence", flat=True))
    assert sequences == list(range(1, state.version + 1))
    assert [each.pk for each in boards_to_take("test")] == [board.pk]


def test_the_same_command_again_changes_nothing_and_says_what_it_did() -> None:
    table = make_table()
    player, command = who_acts(table), uuid4()
    first = do(table, player, MakeCall(OPENING), command=command)
    do(table, who_acts(table), MakeCall(PASS))
    again = do(table, player, MakeCall(OPENING), command=command, expect=1)
    other_words = do(table, player, MakeCall(PASS), command=command)
    assert again.version == other_words.version == first.version
    assert again.again
    assert not first.again
    assert table.events.count() == 2


@pytest.mark.parametrize("action", [AskAbout(0), Explain(0, "strong")], ids=["asked", "explained"])
def test_what_hardly_anybody_notices_is_done_once_as_well(action: AskAbout | Explain) -> None:
    table = make_table()
    caller = who_acts(table)
    do(table, caller, MakeCall(OPENING))
    player = caller if isinstance(action, Explain) else who_acts(table)
    command = uuid4()
    answers = [do(table, player, action, command=command) for _ in range(3)]
    assert len({answer.version for answer in answers}) == 1
    assert table.events.count() == 2


def test_a_question_to_an_opponent_does_not_make_partners_call_stale_and_so_betray_itself() -> None:
    table = make_table()
    do(table, who_acts(table), MakeCall(OPENING))
    second = who_acts(table)
    do(table, second, MakeCall(PASS))
    table.refresh_from_db()
    seen, third = table.version, who_acts(table)
    do(table, second, AskAbout(0))
    assert do(table, third, MakeCall(PASS), expect=seen).version == seen + 2


# ---- what is refused


def test_a_player_asks_three_times_about_a_call_and_no_more() -> None:
    table = make_table()
    caller = who_acts(table)
    do(table, caller, MakeCall(OPENING))
    asker = who_acts(table)
    for _ in range(3):
        do(table, asker, AskAbout(0))
        do(table, caller, Explain(0, "strong"))
    with pytest.raises(Refused, match="asked enough"):
        do(table, asker, AskAbout(0))
    do(table, asker, MakeCall(PASS))
    do(table, who_acts(table), MakeCall(PASS))
    do(table, who_acts(table), AskAbout(0))  # the control: partner has asked nothing yet


def test_a_decision_on_a_table_that_has_changed_is_stale() -> None:
    table = make_table()
    first = who_acts(table)
    do(table, first, MakeCall(OPENING))
    with pytest.raises(Stale):
        do(table, who_acts(table), MakeCall(BIDS[1]), expect=1)
    with pytest.raises(Stale):
        do(table, who_acts(table), MakeCall(BIDS[1]), expect=99)
    assert table.events.count() == 1


def test_an_illegal_call_is_refused_in_words_and_leaves_no_trace() -> None:
    table = make_table()
    do(table, who_acts(table), MakeCall(BIDS[5]))
    table.refresh_from_db()
    before = table.version, table.sequence
    with pytest.raises(IllegalCall, match="higher"):
        do(table, who_acts(table), MakeCall(BIDS[4]))
    with pytest.raises(IllegalCall, match="turn"):
        do(table, who_waits(table), MakeCall(BIDS[8]))
    table.refresh_from_db()
    assert (table.version, table.sequence) == before
    assert table.events.count() == 1


def who_waits(table: Table) -> Player:
    """One of those whose turn it is not."""
    return Player.objects.filter(sittings__table=table).exclude(pk=who_acts(table).pk).latest("pk")


def test_who_does_not_sit_there_does_nothing_there() -> None:
    table = make_table()
    with pytest.raises(Sitting.DoesNotExist):
        do(table, make_member("Vera"), MakeCall(OPENING))
    assert table.events.count() == 0


def test_at_a_closed_table_nothing_is_done_any_more() -> None:
    table = make_table()
    player = who_acts(table)
    void_table(table_id=table.pk, by=None, reason="a fire alarm")
    with pytest.raises(Closed):
        do(table, player, MakeCall(OPENING))
    assert set(table.boards.values_list("how", flat=True)) == {"void"}
    void_table(table_id=table.pk, by=None, reason="again")
    assert AuditEntry.objects.filter(action="tables.void").count() == 1


def test_a_command_that_was_accepted_before_the_bell_is_still_told_so_after_it() -> None:
    table = make_table()
    player, command = who_acts(table), uuid4()
    done = do(table, player, MakeCall(OPENING), command=command)
    void_table(table_id=table.pk, by=None, reason="a fire alarm")
    assert do(table, player, MakeCall(OPENING), command=command, expect=1).version == done.version


# ---- what the database holds


def test_the_log_is_never_changed_and_never_deleted() -> None:
    table = make_table()
    do(table, who_acts(table), MakeCall(OPENING))
    refused = pytest.raises(DatabaseError, match="never changed or deleted")
    with refused, transaction.atomic():
        table.events.all().delete()
    with refused, transaction.atomic():
        table.events.update(seat="N")


def test_the_database_refuses_a_number_twice_and_a_command_twice() -> None:
    table = make_table()
    do(table, who_acts(table), MakeCall(OPENING))
    event = table.events.get()
    for number, command in ((1, uuid4()), (2, event.command)):
        with pytest.raises(IntegrityError), transaction.atomic():
            TableEvent.objects.create(
                table=table,
                table_board=event.table_board,
                sequence=number,
                version=9,
                command=command,
                at=event.at,
                action={"do": "call", "call": "Pass"},
            )


@pytest.mark.parametrize(
    "row",
    [
        {"state": "over", "why": ""},
        {"state": "playing", "current": None},
        {"state": "waiting", "why": "cut"},
        {"sequence": 99},
    ],
    ids=str,
)
def test_the_database_refuses_a_table_that_contradicts_itself(row: dict[str, object]) -> None:
    table = make_table()
    with pytest.raises(IntegrityError), transaction.atomic():
        Table.objects.filter(pk=table.pk).update(**row)


@pytest.mark.parametrize(
    "row",
    [
        {"state": "over"},
        {"contract": "8S", "declarer": "N", "tricks": 9},
        {"contract": "3NT", "declarer": "", "tricks": 9},
        {"taken_at": "2026-11-30T12:00:00Z"},
    ],
    ids=str,
)
def test_the_database_refuses_a_board_that_contradicts_itself(row: dict[str, object]) -> None:
    table = make_table()
    with pytest.raises(IntegrityError), transaction.atomic():
        table.boards.filter(position=1).update(**row)


def test_what_was_rolled_back_is_never_built_upon() -> None:
    table = make_table()
    player = who_acts(table)
    with transaction.atomic():
        do(table, player, MakeCall(OPENING))
        assert state_of(table).version == 1  # it is folded, and kept
        transaction.set_rollback(True)
    assert state_of(table).version == 0
    do(table, player, MakeCall(PASS))
    assert [call.text for call in state_of(table).auction.calls] == ["Pass"]


# ---- claims, undo, meanings


def claimed(rules: TableRules | None = None) -> tuple[Table, Seat]:
    """A table where declarer has claimed all tricks, and whose claim it is."""
    table = make_table(house=House(rules=rules or TableRules()))
    state = play_board(table, until=lambda state: bool(state.play and len(state.play.cards()) == 4))
    assert state.play
    claimer = state.play.declarer
    do(table, table.sittings.get(seat=claimer.letter).player, Claim(state.play.remaining, "all high"))
    return table, claimer


def answer(table: Table, seat: Seat, *, accept: bool) -> None:
    do(table, table.sittings.get(seat=seat.letter).player, AnswerClaim(accept))


def test_a_claim_that_both_defenders_accept_ends_the_board() -> None:
    table, claimer = claimed()
    answer(table, claimer.left, accept=True)
    answer(table, claimer.left.partner, accept=True)
    assert table.boards.get(position=1).how == How.CLAIMED


def test_a_claim_that_nobody_answers_is_refused_after_a_minute() -> None:
    table, claimer = claimed()
    answer(table, claimer.left, accept=True)
    pass_time(seconds=59)
    assert state_of(table).claim
    pass_time(seconds=2)
    state = state_of(table)
    assert not state.claim
    assert not state.is_over
    assert state.refused_claims[claimer] == 1


def test_an_answer_in_time_leaves_the_clock_nothing_to_do() -> None:
    table, claimer = claimed()
    answer(table, claimer.left, accept=False)
    before = table.events.count()
    pass_time(seconds=70)
    assert table.events.count() == before


def test_where_the_director_decides_about_claims_a_refusal_calls_one() -> None:
    table, claimer = claimed(TableRules(claims=DecidedBy.DIRECTOR))
    answer(table, claimer.left, accept=False)
    call = DirectorCall.objects.get(table=table)
    assert call.settled_at is None
    director = make_member("Dora", director=True)
    command = uuid4()
    for _ in range(2):
        direct(
            table_id=table.pk,
            by=user_of(director),
            command=command,
            action=Rule(9),
            reason="a trump was out",
        )
    board = table.boards.get(position=1)
    assert (board.how, board.tricks) == (How.RULED, 9)
    entry = AuditEntry.objects.get(action="tables.directed")
    assert entry.reason == "a trump was out"


def test_a_director_gives_both_sides_an_adjusted_score_takes_back_calls_and_needs_a_reason() -> None:
    table = make_table()
    director = user_of(make_member("Dora", director=True))
    for _ in range(3):
        do(table, who_acts(table), MakeCall(PASS))
    with pytest.raises(Refused, match="reason"):
        direct(table_id=table.pk, by=director, command=uuid4(), action=TakeBack(1), reason=" ")
    direct(table_id=table.pk, by=director, command=uuid4(), action=TakeBack(1), reason="a slip of the mouse")
    assert len(state_of(table).auction.calls) == 1
    ruling = Ruling(Grade.MINUS, Grade.PLUS)
    direct(table_id=table.pk, by=director, command=uuid4(), action=Rule(ruling=ruling), reason="hesitation")
    board = table.boards.get(position=1)
    assert board.ruling == ruling.to_json()
    assert board.contract == ""
    with pytest.raises(Refused):
        direct(table_id=table.pk, by=director, command=uuid4(), action=PlayOn(), reason="")


def test_two_directors_do_not_decide_on_the_same_board_unseen() -> None:
    table = make_table()
    director = user_of(make_member("Dora", director=True))
    do(table, who_acts(table), MakeCall(PASS))
    table.refresh_from_db()
    seen = table.version
    direct(table_id=table.pk, by=director, command=uuid4(), action=TakeBack(0), reason="one", expect=seen)
    with pytest.raises(Stale):
        direct(table_id=table.pk, by=director, command=uuid4(), action=Rule(7), reason="two", expect=seen)


def test_a_call_is_taken_back_with_the_opponents_consent_and_refused_by_silence() -> None:
    table = make_table()
    caller = who_acts(table)
    do(table, caller, MakeCall(OPENING))
    do(table, caller, AskUndo())
    assert state_of(table).undo
    pass_time(seconds=61)
    state = state_of(table)
    assert not state.undo
    assert len(state.auction.calls) == 1


def test_where_the_director_decides_about_slips_a_wish_calls_one_and_is_granted() -> None:
    table = make_table(house=House(rules=TableRules(undo=DecidedBy.DIRECTOR)))
    caller = who_acts(table)
    do(table, caller, MakeCall(OPENING))
    do(table, caller, AskUndo())
    assert DirectorCall.objects.filter(table=table).exists()
    director = user_of(make_member("Dora", director=True))
    direct(table_id=table.pk, by=director, command=uuid4(), action=AnswerUndo(True), reason="a slip")
    assert state_of(table).auction.calls == ()


def test_what_a_call_meant_is_offered_when_it_comes_up_again() -> None:
    cast = make_cast()
    table = make_table(cast)
    seat = dealer(1).letter
    do(table, cast[seat], MakeCall(BIDS[6], explanation="weak, six diamonds"))
    assert StoredMeaning.objects.get().key == BIDS[6].text
    another = make_table(cast, subject="2")
    viewer = Seat.from_letter(seat)
    shown = snapshot(table_id=another.pk)
    offered = {each: usual_meanings(shown, shown.seen_by(each)) for each in Seat}
    assert offered == {each: {BIDS[6].text: "weak, six diamonds"} if each is viewer else {} for each in Seat}
    do(another, cast[seat], MakeCall(BIDS[6], explanation="weak"))
    assert StoredMeaning.objects.get().text == "weak"
