"""Answers that come late, twice or crosswise: what was agreed to is what was asked, and each is done once."""

import random
from collections.abc import Callable
from functools import partial
from uuid import UUID, uuid4

import pytest

from apps.tables.models import DirectorCall, Table, TableWord
from apps.tables.refusals import Stale
from apps.tables.services import seating, talk
from apps.tables.services.opening import House
from apps.tables.services.playing import Done, act
from apps.tables.services.practice import open_practice_table
from apps.users.models import Player
from bridge.auction import BIDS, PASS
from bridge.cards import Card
from bridge.errors import IllegalAction
from bridge.table import (
    AnswerClaim,
    AnswerUndo,
    AskUndo,
    Claim,
    MakeCall,
    PlayCard,
    PlayerAction,
    TableRules,
    WithdrawClaim,
)
from tests.faults.threads import at_once
from tests.tables.tables import (
    do,
    make_cast,
    make_member,
    make_table,
    play_board,
    something,
    state_of,
    user_of,
    who_acts,
)

pytestmark = pytest.mark.django_db(transaction=True)

CASUAL = House(rules=TableRules(undo_cards=True))
COPIES = 6


def at(table: Table, seat: object) -> Player:
    return table.sittings.select_related("player__user").get(seat=getattr(seat, "letter", seat)).player


def in_play(cards: int) -> Table:
    table = make_table(house=CASUAL)
    play_board(table, until=lambda state: bool(state.play and len(state.play.cards()) == cards))
    return table


def test_consent_to_one_claim_is_never_taken_for_another() -> None:
    """Declarer takes the claim back and claims more, while a defender's “yes” to the first is on its way."""
    table = in_play(8)
    play = state_of(table).play
    assert play
    declarer, left = at(table, play.declarer), at(table, play.declarer.left)
    do(table, declarer, Claim(1, "one trump"))
    seen = Table.objects.get(pk=table.pk).version
    do(table, declarer, WithdrawClaim())
    do(table, declarer, Claim(play.remaining, "all of them"))
    with pytest.raises(Stale):
        do(table, left, AnswerClaim(True), expect=seen)
    claim = state_of(table).claim
    assert claim
    assert left.pk in [at(table, seat).pk for seat in claim.waits_for]
    assert do(table, left, AnswerClaim(True)).version > seen  # the control: to what lies there now


def test_consent_to_one_undo_is_never_taken_for_another() -> None:
    table = make_table(house=CASUAL)
    first = who_acts(table)
    do(table, first, MakeCall(BIDS[0]))
    second = who_acts(table)
    do(table, first, AskUndo())
    seen = Table.objects.get(pk=table.pk).version
    do(table, second, AnswerUndo(False))
    do(table, second, MakeCall(PASS))
    third = who_acts(table)
    do(table, second, AskUndo())
    with pytest.raises(Stale):
        do(table, third, AnswerUndo(True), expect=seen)
    assert len(state_of(table).auction.calls) == 2
    assert do(table, third, AnswerUndo(True)).version > seen


def test_a_wish_to_take_back_a_card_is_about_that_card_whatever_was_played_meanwhile() -> None:
    """The next player's card crosses the wish: it has to be wished again, and then both cards come back, never his alone."""
    table = in_play(8)
    player = who_acts(table)
    kept = state_of(table).play
    assert kept
    do(table, player, something(state_of(table), random.Random(1)))
    seen = Table.objects.get(pk=table.pk).version
    do(table, who_acts(table), something(state_of(table), random.Random(2)))
    with pytest.raises(Stale):
        do(table, player, AskUndo(), expect=seen)
    both = state_of(table).play
    assert both
    assert len(both.cards()) == 10
    do(table, player, AskUndo())
    undo = state_of(table).undo
    assert undo
    assert (undo.of_call, undo.place) == (False, 8)
    for seat in sorted(undo.waits_for):
        do(table, at(table, seat), AnswerUndo(True))
    assert state_of(table).play == kept


def test_a_card_that_crosses_a_wish_waits_and_stays_in_the_hand() -> None:
    table = in_play(8)
    player = who_acts(table)
    do(table, player, something(state_of(table), random.Random(1)))
    seen, nxt = Table.objects.get(pk=table.pk).version, who_acts(table)
    card = something(state_of(table), random.Random(2))
    do(table, player, AskUndo())
    with pytest.raises(Stale):
        do(table, nxt, card, expect=seen)
    with pytest.raises(IllegalAction, match="waits for its answer"):
        do(table, nxt, card)


# ---- a double press


def sent_at_once(table: Table, player: Player, action: PlayerAction) -> list[object]:
    table.refresh_from_db()
    one = partial(
        act, table_id=table.pk, user=user_of(player), command=uuid4(), expect=table.version, action=action
    )
    return at_once(*[one] * COPIES)


def a_call() -> tuple[Table, Player, PlayerAction]:
    table = make_table()
    return table, who_acts(table), MakeCall(BIDS[3])


def a_card() -> tuple[Table, Player, PlayerAction]:
    table = in_play(8)
    return table, who_acts(table), something(state_of(table), random.Random(1))


def a_claim() -> tuple[Table, Player, PlayerAction]:
    table = in_play(8)
    play = state_of(table).play
    assert play
    return table, at(table, play.declarer), Claim(2)


def an_answer() -> tuple[Table, Player, PlayerAction]:
    table, player, claim = a_claim()
    do(table, player, claim)
    waits_for = state_of(table).claim
    assert waits_for
    return table, at(table, min(waits_for.waits_for)), AnswerClaim(True)


def a_refusal() -> tuple[Table, Player, PlayerAction]:
    table, player, _accept = an_answer()
    return table, player, AnswerClaim(False)


def an_undo() -> tuple[Table, Player, PlayerAction]:
    table, player, card = a_card()
    do(table, player, card)
    return table, player, AskUndo()


@pytest.mark.parametrize("scene", [a_call, a_card, a_claim, an_answer, a_refusal, an_undo])
def test_a_button_that_is_pressed_many_times_is_pressed_once(
    scene: Callable[[], tuple[Table, Player, PlayerAction]],
) -> None:
    table, player, action = scene()
    before = table.events.count()
    answers = sent_at_once(table, player, action)
    assert all(isinstance(answer, Done) for answer in answers), answers
    assert len({answer.version for answer in answers if isinstance(answer, Done)}) == 1
    assert sum(not answer.again for answer in answers if isinstance(answer, Done)) == 1
    assert table.events.count() == before + 1


@pytest.mark.parametrize("what", ["word", "director", "leave", "ready"])
def test_what_is_said_and_asked_beside_the_board_is_done_once_as_well(what: str) -> None:
    cast = make_cast()
    table = open_practice_table(player=cast["S"])
    seating.take_seat(table_id=table.pk, seat="N", player=cast["N"])
    table.refresh_from_db()
    before, user, command = table.version, user_of(cast["S"]), uuid4()
    works: dict[str, Callable[[], object]] = {
        "word": partial(
            talk.say, table_id=table.pk, user=user, command=command, to=TableWord.To.TABLE, text="hello"
        ),
        "director": partial(talk.call_director, table_id=table.pk, user=user, command=command),
        "leave": partial(seating.leave_seat, table_id=table.pk, user=user),
        "ready": partial(seating.be_ready, table_id=table.pk, user=user),
    }
    at_once(*[works[what]] * COPIES)
    table.refresh_from_db()
    counts = (TableWord.objects.count(), DirectorCall.objects.count(), table.sittings.count())
    assert counts == {"word": (1, 0, 2), "director": (0, 1, 2), "leave": (0, 0, 1), "ready": (0, 0, 2)}[what]
    assert table.version == before + (what != "ready")


# ---- refusals leave no trace


def dummys_card_from_dummy(table: Table) -> tuple[Player, PlayerAction]:
    play = state_of(table).play
    assert play
    return at(table, play.dummy), PlayCard(min(play.hands[play.dummy].cards))


def dummys_card_out_of_turn(table: Table) -> tuple[Player, PlayerAction]:
    """Declarer has played from dummy; the same hand again."""
    do(table, who_acts(table), something(state_of(table), random.Random(1)))
    play = state_of(table).play
    assert play
    return at(table, play.declarer), PlayCard(min(play.hands[play.dummy].cards))


def a_card_that_was_played(table: Table) -> tuple[Player, PlayerAction]:
    play = state_of(table).play
    assert play
    return who_acts(table), PlayCard(play.cards()[-1])


def a_card_of_somebody_else(table: Table) -> tuple[Player, PlayerAction]:
    play = state_of(table).play
    assert play
    assert play.turn is not None
    return who_acts(table), PlayCard(min(play.hands[play.turn.left].cards))


def a_revoke(table: Table) -> tuple[Player, PlayerAction]:
    while True:
        play = state_of(table).play
        assert play
        assert play.turn is not None
        if others := play.hands[play.turn].cards - play.legal_cards():
            return who_acts(table), PlayCard(min(others))
        do(table, who_acts(table), something(state_of(table), random.Random(1)))


def a_call_in_the_play(table: Table) -> tuple[Player, PlayerAction]:
    return who_acts(table), MakeCall(PASS)


def one_trick_too_many(table: Table) -> tuple[Player, PlayerAction]:
    play = state_of(table).play
    assert play
    return at(table, play.declarer), Claim(play.remaining + 1)


@pytest.mark.parametrize(
    "scene",
    [
        dummys_card_from_dummy,
        dummys_card_out_of_turn,
        a_card_that_was_played,
        a_card_of_somebody_else,
        a_revoke,
        a_call_in_the_play,
        one_trick_too_many,
    ],
)
def test_what_is_refused_at_the_table_is_in_no_log_and_seen_by_nobody(
    scene: Callable[[Table], tuple[Player, PlayerAction]],
) -> None:
    table = in_play(1)  # the opening lead was made, and dummy is to play
    player, action = scene(table)
    table.refresh_from_db()
    before = table.version, table.sequence, table.events.count(), state_of(table)
    for _ in range(2):
        with pytest.raises(IllegalAction) as refused:
            do(table, player, action)
        assert len(str(refused.value)) > 10
    assert (table.version, table.sequence, table.events.count(), state_of(table)) == before
    assert state_of(table).play
    do(table, who_acts(table), something(state_of(table), random.Random(3)))  # and the board goes on


def test_the_control_dummys_card_is_accepted_from_declarer() -> None:
    table = in_play(1)
    play = state_of(table).play
    assert play
    assert play.turn is play.dummy
    declarer = at(table, play.declarer)
    card = min(play.legal_cards())
    do(table, declarer, PlayCard(card))
    after = state_of(table).play
    assert after
    assert card not in after.hands[play.dummy].cards
    assert after.cards()[-1] == card
    assert isinstance(card, Card)


def test_a_command_id_belongs_to_its_table() -> None:
    """The same id at another table is another command: it is not taken for one that was done."""
    cast = make_cast()
    one, other = make_table(cast, subject="1"), make_table(cast, subject="2")
    command = UUID(int=7)
    assert not do(one, who_acts(one), MakeCall(PASS), command=command).again
    assert not do(other, who_acts(other), MakeCall(PASS), command=command).again
    assert do(one, at(one, "N"), MakeCall(PASS), command=command).again


def test_a_command_of_one_player_is_not_undone_by_another_who_knows_its_id() -> None:
    """Whoever sends the id of somebody else's command is told what it made, and nothing happens."""
    table = make_table()
    first, command = who_acts(table), uuid4()
    do(table, first, MakeCall(PASS), command=command)
    second = who_acts(table)
    answer = do(table, second, MakeCall(BIDS[0]), command=command)
    assert answer.again
    assert [call.text for call in state_of(table).auction.calls] == ["Pass"]
    with pytest.raises(Exception, match="matching query"):
        do(table, make_member("Vera"), MakeCall(PASS), command=command)
