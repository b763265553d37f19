"""Who takes part: the desk, entries, presence, withdrawal, return, late entry, substitutes."""

import random
from datetime import timedelta

import pytest

from apps.clock.selectors import audit_of
from apps.clock.time import now
from apps.pairs.models import DeskSeat, Entrant, Entry, Invitation, Round, RoundScore, Seat, Standing, Swiss
from apps.pairs.services import desk
from apps.pairs.services.registration import Refused, enter_pair, say_present, substitute, withdraw_pair
from apps.results.models import Contestant
from tests.faults.threads import at_once
from tests.pairs.evening import enter_pairs, make_members, make_swiss, pass_time, play_round, reload, start

pytestmark = pytest.mark.django_db


def sit_together(swiss: Swiss) -> tuple[DeskSeat, DeskSeat]:
    nora, sue = make_members(2, "Desk")
    first = desk.sit_down(event_id=swiss.pk, player=nora)
    return first, desk.sit_down(event_id=swiss.pk, player=sue, table=first.table)


def test_two_who_hold_their_hands_up_are_entered_once() -> None:
    swiss = make_swiss(hold=3)
    nora, sue = sit_together(swiss)
    desk.raise_hand(event_id=swiss.pk, player=nora.player)
    pass_time(seconds=60)
    assert not Entry.objects.exists()
    desk.raise_hand(event_id=swiss.pk, player=sue.player)
    pass_time(seconds=2)
    assert not Entry.objects.exists()
    pass_time(seconds=2)
    entry = Entry.objects.get()
    assert {entrant.player for entrant in entry.entrants.all()} == {nora.player, sue.player}
    assert not DeskSeat.objects.exists()
    assert desk.enter_from_desk(event_id=swiss.pk) == 0


def test_a_hand_taken_down_in_time_enters_nobody_and_may_go_up_again() -> None:
    swiss = make_swiss(hold=3)
    nora, sue = sit_together(swiss)
    desk.raise_hand(event_id=swiss.pk, player=nora.player)
    desk.raise_hand(event_id=swiss.pk, player=sue.player)
    pass_time(seconds=1)
    desk.raise_hand(event_id=swiss.pk, player=sue.player, up=False)
    pass_time(seconds=30)
    assert not Entry.objects.exists()
    desk.raise_hand(event_id=swiss.pk, player=sue.player)
    pass_time(seconds=4)
    assert Entry.objects.count() == 1


def test_either_may_ask_the_other_to_leave() -> None:
    swiss = make_swiss()
    nora, sue = sit_together(swiss)
    desk.raise_hand(event_id=swiss.pk, player=nora.player)
    assert desk.ask_to_leave(event_id=swiss.pk, player=nora.player)
    left = DeskSeat.objects.get()
    assert (left.player, left.hand_at) == (nora.player, None)
    assert not desk.ask_to_leave(event_id=swiss.pk, player=nora.player)
    assert desk.stand_up(event_id=swiss.pk, player=nora.player)
    assert sue.player_id not in DeskSeat.objects.values_list("player_id", flat=True)


def test_a_third_finds_no_chair() -> None:
    swiss = make_swiss()
    nora, _ = sit_together(swiss)
    with pytest.raises(Refused, match="Both chairs"):
        desk.sit_down(event_id=swiss.pk, player=make_members(1, "Third")[0], table=nora.table)


def test_hands_up_when_the_event_begins_come_too_late() -> None:
    swiss = make_swiss(hold=5, min_pairs=2)
    enter_pairs(swiss, 2)
    nora, sue = sit_together(swiss)
    pass_time(seconds=(swiss.starts_at - now()).total_seconds() - 2)
    desk.raise_hand(event_id=swiss.pk, player=nora.player)
    desk.raise_hand(event_id=swiss.pk, player=sue.player)
    pass_time(seconds=10)
    assert Entry.objects.count() == 2
    assert set(DeskSeat.objects.values_list("hand_at", flat=True)) == {None}


def test_an_invitation_that_is_accepted_enters_the_pair() -> None:
    swiss = make_swiss()
    nora, sue, ed = make_members(3, "Guest")
    assert nora.user and sue.user and ed.user
    made = desk.invite(event_id=swiss.pk, player=nora, partner=sue, by=nora.user)
    assert desk.invite(event_id=swiss.pk, player=nora, partner=sue, by=nora.user) == made
    other = desk.invite(event_id=swiss.pk, player=ed, partner=sue, by=ed.user)
    with pytest.raises(Refused, match="not for you"):
        desk.answer_invitation(invitation_id=made.pk, player=ed, accept=True, by=ed.user)
    entry = desk.answer_invitation(invitation_id=made.pk, player=sue, accept=True, by=sue.user)
    assert desk.answer_invitation(invitation_id=made.pk, player=sue, accept=True, by=sue.user) == entry
    other.refresh_from_db()
    assert other.state == Invitation.State.WITHDRAWN
    invited = sue.user.notices.filter(key__contains="invited").order_by("pk")
    assert [str(notice) for notice in invited] == [
        f"{name} would like to play Swiss evening with you." for name in ("Guest 1", "Guest 3")
    ]


def test_one_player_asks_ten_at_once_and_twenty_times_in_an_event() -> None:
    swiss = make_swiss()
    nora, *others = make_members(13, "Guest")
    by = nora.user
    assert by
    for asked in range(desk.MOST_ASKED):
        partner = others[asked % 12]
        if asked >= desk.MOST_OPEN:
            with pytest.raises(Refused, match="10 players have your question already"):
                desk.invite(event_id=swiss.pk, player=nora, partner=partner, by=by)
            first = swiss.invitations.filter(state=Invitation.State.OPEN).order_by("pk")[0]
            desk.answer_invitation(invitation_id=first.pk, player=nora, accept=False, by=by)
        desk.invite(event_id=swiss.pk, player=nora, partner=partner, by=by)
    for first in swiss.invitations.filter(state=Invitation.State.OPEN):
        desk.answer_invitation(invitation_id=first.pk, player=nora, accept=False, by=by)
    with pytest.raises(Refused, match="asked 20 times"):
        desk.invite(event_id=swiss.pk, player=nora, partner=others[-1], by=by)
    assert desk.invite(event_id=swiss.pk, player=others[0], partner=nora, by=by).state == "open"


def test_nobody_enters_twice_or_with_himself() -> None:
    swiss = make_swiss()
    nora, sue, ed = make_members(3)
    entry = enter_pair(event_id=swiss.pk, players=[nora, sue], by=nora.user)
    assert enter_pair(event_id=swiss.pk, players=[sue, nora], by=sue.user) == entry
    with pytest.raises(Refused, match="is entered already"):
        enter_pair(event_id=swiss.pk, players=[nora, ed], by=ed.user)
    with pytest.raises(Refused, match="two different players"):
        enter_pair(event_id=swiss.pk, players=[ed, ed], by=ed.user)
    assert Entry.objects.count() == 1


def test_a_full_event_and_a_closed_list_refuse_with_the_reason() -> None:
    full = make_swiss(max_pairs=2)
    enter_pairs(full, 2)
    with pytest.raises(Refused, match="is full: it takes 2 pairs"):
        enter_pairs(full, 1, "More")
    closed = make_swiss(admission=Swiss.Admission.INVITED)
    with pytest.raises(Refused, match="not on the list"):
        enter_pairs(closed, 1, "Stranger")


@pytest.mark.django_db(transaction=True)
def test_the_last_place_goes_to_one_of_two_pairs_that_enter_at_once() -> None:
    for turn in range(50):
        swiss = make_swiss(max_pairs=2)
        enter_pairs(swiss, 1, f"First{turn}")
        players = make_members(4, f"Late{turn}")
        answers = at_once(
            lambda players=players, swiss=swiss: enter_pair(event_id=swiss.pk, players=players[:2], by=None),  # type: ignore[misc]
            lambda players=players, swiss=swiss: enter_pair(event_id=swiss.pk, players=players[2:], by=None),  # type: ignore[misc]
        )
        assert sorted(type(answer).__name__ for answer in answers) == ["Entry", "Refused"]


@pytest.mark.django_db(transaction=True)
def test_a_player_who_enters_with_two_partners_at_once_is_in_one_pair() -> None:
    for turn in range(50):
        swiss = make_swiss()
        nora, sue, ed = make_members(3, f"Both{turn}")
        answers = at_once(
            lambda swiss=swiss, nora=nora, sue=sue: enter_pair(
                event_id=swiss.pk, players=[nora, sue], by=None
            ),  # type: ignore[misc]
            lambda swiss=swiss, nora=nora, ed=ed: enter_pair(event_id=swiss.pk, players=[nora, ed], by=None),  # type: ignore[misc]
        )
        assert sorted(type(answer).__name__ for answer in answers) == ["Entry", "Refused"]
        assert Entrant.objects.filter(swiss=swiss, player=nora).count() == 1


def test_who_is_not_there_at_the_start_is_waited_for_and_then_left_out() -> None:
    swiss = make_swiss(presence_minutes=10, grace=3, min_pairs=2, rounds=2, late_until=2)
    entries = enter_pairs(swiss, 4)
    for entry in entries[:3]:
        say_present(event_id=swiss.pk, order=entry.contestant.order, by=None)
    start(swiss)
    assert reload(swiss).state == Swiss.State.ANNOUNCED
    pass_time(minutes=3)
    assert reload(swiss).current_round == 1
    missing = Entry.objects.get(pk=entries[3].pk)
    assert missing.state == Entry.State.AWAY
    assert Seat.objects.count() == 3
    say_present(event_id=swiss.pk, order=4, by=None)
    play_round(swiss, random.Random(1))
    pass_time(minutes=21)
    assert Seat.objects.filter(round__number=2).count() == 4
    assert RoundScore.objects.get(contestant=missing.pk, round__number=1).kind == RoundScore.Kind.MISSED


def test_everybody_present_starts_at_the_hour() -> None:
    swiss = make_swiss(presence_minutes=10, grace=3)
    for entry in enter_pairs(swiss, 4):
        say_present(event_id=swiss.pk, order=entry.contestant.order, by=None)
    start(swiss)
    assert reload(swiss).current_round == 1


def test_a_pair_that_withdraws_is_not_seated_and_may_come_back_but_not_for_ever() -> None:
    swiss = make_swiss(rounds=9, boards=1, minutes=5)
    enter_pairs(swiss, 6)
    start(swiss)
    rng = random.Random(2)
    for number in range(1, 9):
        if number % 2:
            assert withdraw_pair(event_id=swiss.pk, order=4, by=None)
            assert not withdraw_pair(event_id=swiss.pk, order=4, by=None)
        elif number < 8:
            say_present(event_id=swiss.pk, order=4, by=None)
        else:
            with pytest.raises(Refused, match="came back 3 times"):
                say_present(event_id=swiss.pk, order=4, by=None)
        play_round(swiss, rng)
        pass_time(minutes=6)
    scores = RoundScore.objects.filter(contestant__order=4).order_by("round__number")
    kinds = [score.kind for score in scores]
    assert kinds.count(RoundScore.Kind.MISSED) >= 4
    assert all(score.points == 0 for score in scores if score.kind == RoundScore.Kind.MISSED)


def test_an_event_that_shrinks_to_one_pair_ends_with_the_standings_it_has() -> None:
    swiss = make_swiss(rounds=5, boards=2)
    enter_pairs(swiss, 3)
    start(swiss)
    play_round(swiss, random.Random(3))
    pass_time(minutes=21)
    play_round(swiss, random.Random(3))
    for order in (1, 2):
        withdraw_pair(event_id=swiss.pk, order=order, by=None)
    pass_time(minutes=22)
    assert reload(swiss).state == Swiss.State.FINISHED
    assert Round.objects.filter(swiss=swiss).count() == 2
    assert Standing.objects.get(rank=1).contestant.order == 3


def test_late_entry_is_shown_as_rounds_not_played() -> None:
    swiss = make_swiss(rounds=4, boards=2, late_until=3)
    enter_pairs(swiss, 5)
    start(swiss)
    play_round(swiss, random.Random(4))
    pass_time(minutes=21)
    late = enter_pairs(swiss, 1, "Late")[0]
    play_round(swiss, random.Random(4))
    pass_time(minutes=21)
    kinds = (
        RoundScore.objects.filter(contestant=late.pk).order_by("round__number").values_list("kind", flat=True)
    )
    assert list(kinds) == [RoundScore.Kind.MISSED, RoundScore.Kind.MISSED]
    assert Seat.objects.get(round__number=3, contestant=late.pk).table
    with pytest.raises(Refused, match="are closed"):
        enter_pairs(swiss, 1, "TooLate")


def test_a_substitute_plays_on_and_both_are_named() -> None:
    swiss = make_swiss(rounds=2)
    entries = enter_pairs(swiss, 4)
    start(swiss)
    play_round(swiss, random.Random(5))
    out = entries[0].entrants.order_by("pk")[0].player
    into = make_members(1, "Substitute")[0]
    substitute(event_id=swiss.pk, order=1, out=out, into=into, by=None, reason="ill")
    substitute(event_id=swiss.pk, order=1, out=out, into=into, by=None, reason="ill")
    assert list(entries[0].contestant.members.order_by("position").values_list("player_id", flat=True))[
        2:
    ] == [into.pk]
    assert audit_of("pairs.event", swiss.pk).filter(action="pairs.substituted").count() == 1
    other = entries[1].entrants.order_by("pk")[0].player
    with pytest.raises(Refused, match="is entered already"):
        substitute(event_id=swiss.pk, order=1, out=into, into=other, by=None)


def test_start_is_never_before_its_hour() -> None:
    swiss = make_swiss()
    enter_pairs(swiss, 4)
    pass_time(seconds=(swiss.starts_at - now()).total_seconds() - 5)
    assert reload(swiss).state == Swiss.State.ANNOUNCED
    pass_time(seconds=6)
    opened = Round.objects.get(swiss=swiss, number=1).opened_at
    assert opened
    assert timedelta() <= opened - swiss.starts_at < timedelta(seconds=3)


def test_a_disqualified_pair_does_not_come_back_nor_enter_again() -> None:
    swiss = make_swiss(rounds=3, late_until=3)
    first = enter_pairs(swiss, 4)[0]
    start(swiss)
    players = [entrant.player for entrant in first.entrants.order_by("pk")]
    Contestant.objects.filter(pk=first.pk).update(status=Contestant.Status.DISQUALIFIED)
    withdraw_pair(event_id=swiss.pk, order=first.contestant.order, by=None)
    with pytest.raises(Refused, match="disqualified"):
        say_present(event_id=swiss.pk, order=first.contestant.order, by=None)
    assert enter_pair(event_id=swiss.pk, players=players, by=None) == first
    with pytest.raises(Refused, match="entered already"):
        enter_pair(event_id=swiss.pk, players=[players[0], *make_members(1, "Other")], by=None)
    first.refresh_from_db()
    assert first.state == Entry.State.WITHDRAWN
    assert first.contestant.status == Contestant.Status.DISQUALIFIED
