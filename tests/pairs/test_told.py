"""Whom a call for the director reaches, and that nobody is left with a notice of what is settled."""

import random
from decimal import Decimal
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from apps.clock.models import Outgoing
from apps.clock.time import now
from apps.masterpoints.services import award_event
from apps.pages.invariants import broken
from apps.pairs.models import Entry, RoundScore, Seat, Slip, Standing, Swiss
from apps.pairs.selectors.oversight import log_of
from apps.pairs.services import direction
from apps.pairs.services.desk import answer_invitation, invite
from apps.pairs.services.direction import call_director, pair_again, resume, suspend_stuck
from apps.pairs.services.disqualification import disqualify_pair
from apps.pairs.services.notices import QUIET
from apps.pairs.services.penalties import penalize_pair
from apps.pairs.services.ranking import rank_anew, rank_event
from apps.pairs.services.registration import Refused
from apps.pairs.services.slips import Said, confirm_result, decide_result, say_result
from apps.results.models import Penalty, Result
from apps.results.services import change_result, compare_field
from apps.users.models import Notice, Player, User
from tests.factories import make_user
from tests.pairs.evening import enter_pairs, make_members, make_swiss, pass_time, play_round, reload, start

pytestmark = pytest.mark.django_db


@pytest.fixture
def dora() -> User:
    return make_user("dora", director=True)


@pytest.fixture
def evening(dora: User) -> Swiss:
    """Four pairs play the first of three rounds, and a director looks after it."""
    swiss = make_swiss(rounds=3)
    enter_pairs(swiss, 4)
    start(swiss)
    return reload(swiss)


def player_at(table: int, side: str) -> Player:
    seat = Seat.objects.get(table=table, side=side, round__state="open")
    return Player.objects.select_related("user").filter(entrants__entry=seat.contestant_id).order_by("pk")[0]


def say(swiss: Swiss, side: str, text: str, board: int = 1) -> Slip:
    player = player_at(1, side)
    assert player.user
    said = Said.read(text)
    return say_result(
        event_id=swiss.pk, board=board, said=said, by=player.user, player=player, command=uuid4()
    )


def unread(user: User | None, words: str = "") -> list[str]:
    """The notices with these words that somebody has not read."""
    notices = Notice.objects.filter(user=user, read_at=None).order_by("pk")
    return [str(notice) for notice in notices if words in str(notice)]


# ---- a director is called


def test_a_call_is_told_to_all_who_may_direct_once_and_leads_to_their_page(
    client: Client, evening: Swiss, dora: User
) -> None:
    ada, playing = make_user("ada"), player_at(1, "NS").user
    User.objects.filter(pk=ada.pk).update(is_superuser=True)
    User.objects.filter(pk=getattr(playing, "pk", 0)).update(is_director=True)

    assert call_director(event_id=evening.pk, player=player_at(2, "NS"))
    assert not call_director(event_id=evening.pk, player=player_at(2, "NS"))
    assert call_director(event_id=evening.pk, player=player_at(2, "EW"))  # the same call of the same table

    for user in (dora, ada):
        assert unread(user) == ["Swiss evening: table 2 calls the director."]
    assert unread(playing, "director") == []  # he plays, and somebody else directs
    called = Notice.objects.filter(key__contains="director called")
    mails = Outgoing.objects.filter(key__in=[f"notice {notice.pk}" for notice in called])
    assert mails.count() == called.count() == 2
    client.force_login(dora)
    answer = client.get(reverse("users:notice", args=[called.get(user=dora).pk]), follow=True)
    assert answer.request["PATH_INFO"] == reverse("pairs:direct", args=[evening.pk])


def test_a_call_is_over_when_nobody_at_the_table_waits_and_the_next_is_open_again(
    evening: Swiss, dora: User
) -> None:
    pass_time(seconds=_quiet())
    for side in ("NS", "EW"):
        call_director(event_id=evening.pk, player=player_at(2, side))
    assert call_director(event_id=evening.pk, player=player_at(2, "NS"), calling=False)
    assert not call_director(event_id=evening.pk, player=player_at(2, "NS"), calling=False)
    assert len(unread(dora)) == 1
    call_director(event_id=evening.pk, player=player_at(2, "EW"), calling=False)
    assert unread(dora) == []
    call_director(event_id=evening.pk, player=player_at(2, "NS"))
    assert len(unread(dora)) == 1
    pass_time(minutes=21)
    assert unread(dora) == []
    assert Notice.objects.filter(user=dora).count() == 1


def test_a_table_that_calls_again_and_again_sends_one_mail_in_five_minutes(
    evening: Swiss, dora: User
) -> None:
    for sent in (1, 2):
        pass_time(seconds=_quiet())
        for _ in range(5):
            call_director(event_id=evening.pk, player=player_at(2, "NS"))
            assert len(unread(dora)) == 1
            call_director(event_id=evening.pk, player=player_at(2, "NS"), calling=False)
            assert unread(dora) == []
        assert len(mails_to(dora)) == sent


def test_a_board_that_is_disputed_again_and_again_sends_one_mail_in_five_minutes(
    evening: Swiss, dora: User
) -> None:
    north = player_at(1, "NS").user
    assert north
    User.objects.filter(pk__in=[dora.pk, north.pk]).update(mail=User.Mail.ALL)
    before = len(mails_to(north))
    for sent in (1, 2):
        pass_time(seconds=_quiet())
        say(evening, "NS", "4S N =")
        for _ in range(5):
            say(evening, "EW", "4S N -1")
            assert len(unread(dora)) == 1
            say(evening, "EW", "4S N =")
            assert unread(dora) == []
        assert len(mails_to(dora)) == sent
        assert len(mails_to(north)) == before + sent


def mails_to(user: User) -> list[str]:
    keys = [f"notice {notice.pk}" for notice in Notice.objects.filter(user=user)]
    return list(Outgoing.objects.filter(key__in=keys).values_list("key", flat=True))


def _quiet() -> float:
    """Seconds to the next time at which people can be told what they were told already."""
    return QUIET.total_seconds() - now().timestamp() % QUIET.total_seconds()


def test_nobody_calls_a_director_from_where_no_table_is(evening: Swiss, dora: User) -> None:
    with pytest.raises(Refused, match="sit at a table"):
        call_director(event_id=evening.pk, player=make_members(1, "Passer")[0])
    assert unread(dora) == []


def test_a_disputed_board_waits_for_a_director_until_it_is_agreed_or_decided(
    evening: Swiss, dora: User
) -> None:
    say(evening, "NS", "4S N =")
    say(evening, "EW", "4S N -1")
    assert unread(dora) == ["Swiss evening: board 1 at table 1 is disputed. Please decide it."]
    say(evening, "EW", "4S N -2")
    assert len(unread(dora)) == 1
    say(evening, "NS", "4S N -2")
    assert unread(dora) == []
    say(evening, "EW", "4S N +1")
    assert len(unread(dora)) == 1


def test_an_event_that_got_stuck_calls_its_directors_until_it_goes_on(evening: Swiss, dora: User) -> None:
    suspend_stuck(subject=evening.pk, number=1, error="poison")
    assert unread(dora) == ["Swiss evening stands still and waits for a director."]
    swiss = reload(evening)
    player = player_at(1, "NS").user
    assert unread(player, "interrupted")
    resume(event_id=swiss.pk, expected=swiss.schedule_version, by=dora, reason="mended")
    assert unread(dora) == unread(player, "interrupted") == []
    assert unread(player, "goes on")


# ---- what is settled is read


def test_nobody_is_asked_any_more_to_confirm_what_both_sides_agree_on(evening: Swiss) -> None:
    slip, other = say(evening, "NS", "4S N ="), say(evening, "NS", "3NT S +1", board=2)
    east = player_at(1, "EW")
    assert east.user
    assert len(unread(east.user, "Please confirm")) == 2
    confirm_result(
        event_id=evening.pk, board=1, version=slip.version, by=east.user, player=east, command=uuid4()
    )
    assert unread(east.user, "Please confirm") == [
        "Swiss evening: your opponents entered board 2. Please confirm it."
    ]
    assert other.state == "entered"


def test_a_dispute_is_settled_by_the_word_of_the_director(evening: Swiss, dora: User) -> None:
    say(evening, "NS", "4S N =")
    say(evening, "EW", "4S N -1")
    north, east = player_at(1, "NS").user, player_at(1, "EW").user
    assert unread(east, "Please confirm") == []
    assert len(unread(north, "disputed")) == 1
    decide_result(
        event_id=evening.pk, number=1, table=1, board=1, said=Said.read("4S N ="), by=dora, reason="heard", command=uuid4()
    )  # fmt: skip
    assert unread(north, "disputed") == unread(dora) == []
    assert len(unread(north, "decided")) == 1


def test_after_the_bell_nobody_is_told_where_to_sit_or_what_to_confirm(evening: Swiss) -> None:
    say(evening, "NS", "4S N =")
    say(evening, "NS", "2H W =", board=2)
    say(evening, "EW", "2H W +1", board=2)
    north, east = player_at(1, "NS").user, player_at(1, "EW").user
    assert unread(east, "sit") and unread(east, "Please confirm")
    pass_time(minutes=20, seconds=10)
    assert unread(east, "round 1") == unread(east, "Please confirm") == []
    assert unread(north, "disputed")  # that is still to be decided
    pass_time(minutes=2)
    assert unread(east, "round 2")


def test_a_round_that_is_paired_again_leaves_one_notice_of_the_seat(evening: Swiss, dora: User) -> None:
    player = player_at(1, "NS").user
    swiss = reload(evening)
    pair_again(event_id=swiss.pk, expected=swiss.schedule_version, by=dora, reason="mixed up")
    assert len(unread(player, "round 1")) == 1


def test_a_cancelled_event_says_nothing_else_any_more(evening: Swiss, dora: User) -> None:
    say(evening, "NS", "4S N =")
    call_director(event_id=evening.pk, player=player_at(2, "NS"))
    east, swiss = player_at(1, "EW").user, reload(evening)
    direction.cancel(event_id=swiss.pk, expected=swiss.schedule_version, by=dora, reason="no heating")
    assert unread(east) == ["Swiss evening does not take place."]
    assert unread(dora) == []


def test_an_event_of_like_number_keeps_its_notices(evening: Swiss, dora: User) -> None:
    """Event 1 and event 12, round 1 and round 10: the begin of a key is not a key."""
    east = player_at(1, "EW").user
    assert east
    for key in (f"event {evening.pk}0 seated EW 1", f"event {evening.pk} seated EW 10"):
        Notice.objects.create(user=east, key=key, message="kept", url="/")
    pass_time(minutes=20, seconds=10)
    assert unread(east, "kept") == ["kept", "kept"]


@pytest.mark.parametrize("accept", [True, False])
def test_an_invitation_that_was_answered_is_read(accept: bool) -> None:
    swiss = make_swiss()
    one, other = make_members(2)
    assert one.user and other.user
    invitation = invite(event_id=swiss.pk, player=one, partner=other, by=one.user)
    assert len(unread(other.user, "would like")) == 1
    answer_invitation(invitation_id=invitation.pk, player=other, accept=accept, by=other.user)
    assert unread(other.user, "would like") == []


def test_an_invitation_is_moot_when_one_of_the_two_is_entered_or_entries_are_closed() -> None:
    swiss = make_swiss()
    one, other, third, fourth = make_members(4)
    assert one.user and other.user and third.user and fourth.user
    taken = invite(event_id=swiss.pk, player=one, partner=other, by=one.user)
    invite(event_id=swiss.pk, player=third, partner=one, by=third.user)
    invite(event_id=swiss.pk, player=third, partner=fourth, by=third.user)
    answer_invitation(invitation_id=taken.pk, player=other, accept=True, by=other.user)
    assert unread(one.user, "would like") == []
    assert len(unread(fourth.user, "would like")) == 1
    enter_pairs(swiss, 2, "Field")
    start(swiss)
    assert unread(fourth.user, "would like") == []
    assert not swiss.invitations.filter(state="open").exists()


def test_a_notice_of_the_next_round_stays_and_the_event_ends_with_its_rank(evening: Swiss) -> None:
    player = player_at(1, "NS").user
    for number in (1, 2, 3):
        play_round(evening, random.Random(number))
        pass_time(minutes=21, seconds=10)
    assert unread(player, "round") == []
    assert unread(player, "is over")
    assert Entry.objects.filter(swiss=evening, state="playing").count() == 4


# ---- a place changes after the last bell


def decide(swiss: Swiss, director: User, table: int, board: int, text: str) -> None:
    """The director decides a board, and a worker compares and ranks."""
    decide_result(
        event_id=swiss.pk,
        number=1,
        table=table,
        board=board,
        said=Said.read(text),
        by=director,
        reason="It was played.",
        command=uuid4(),
    )
    compare_field(field_id=swiss.event.field_id)
    rank_event(event_id=swiss.pk)


def places(swiss: Swiss) -> dict[int, int | None]:
    """By account the place of its pair."""
    standings = Standing.objects.filter(event=swiss.pk)
    return dict(standings.values_list("contestant__entry__entrants__player__user", "rank"))


def test_who_has_a_place_only_by_a_later_decision_or_another_one_is_told_it_once(dora: User) -> None:
    swiss = make_swiss(rounds=1)
    enter_pairs(swiss, 4)
    start(swiss)
    pass_time(minutes=21)  # nobody has entered anything
    assert set(places(swiss).values()) == {None}
    new = Notice.objects.filter(read_at=None, key__regex="(un)?ranked|moved")
    assert {str(notice) for notice in new} == {"Swiss evening is over."}

    decide(swiss, dora, 1, 1, "3NT N =")
    assert not Notice.objects.filter(key__contains=" moved ").exists()  # one board of two is too few
    decide(swiss, dora, 1, 2, "4S E =")
    decide(swiss, dora, 2, 1, "3NT N -3")
    before = places(swiss)
    assert set(before.values()) == {1, 2, None}
    assert sorted((notice.user_id, str(notice)) for notice in new.all()) == [
        (user, f"{now_at(rank)} Reason: It was played." if rank else "Swiss evening is over.")
        for user, rank in sorted(before.items())
    ]
    told = Notice.objects.filter(key__contains=" moved ")
    mails = Outgoing.objects.filter(key__in=[f"notice {notice.pk}" for notice in told.all()])
    assert mails.count() == told.count()

    count = told.count()
    rank_event(event_id=swiss.pk)
    assert told.count() == count

    decide(swiss, dora, 2, 2, "4S E -3")
    after = places(swiss)
    moved = {user for user, rank in after.items() if rank != before[user]}
    assert set(after.values()) == {1, 2, 3, 4}
    assert told.count() == count + len(moved)
    assert sorted((notice.user_id, str(notice)) for notice in new.all()) == [
        (user, f"{now_at(rank)} Reason: It was played.") for user, rank in sorted(after.items())
    ]


def now_at(rank: int | None) -> str:
    return f"Your place in Swiss evening is now {rank}."


@pytest.fixture
def over(dora: User) -> Swiss:
    """Six pairs are ranked after one round of two boards."""
    swiss = make_swiss(rounds=1)
    enter_pairs(swiss, 6)
    start(swiss)
    play_round(swiss, random.Random(4))
    pass_time(minutes=21)
    return reload(swiss)


def test_who_has_no_place_any_more_after_a_correction_is_told_so_and_why_once(
    over: Swiss, dora: User
) -> None:
    result = Result.objects.filter(table="1").earliest("pk")
    before = places(over)
    for _time in range(2):
        change_result(result_id=result.pk, by=dora, reason="They had not played it.")
        compare_field(field_id=over.event.field_id)
        rank_event(event_id=over.pk)

    after = places(over)
    lost = {user for user, rank in after.items() if rank is None}
    assert lost == set(
        User.objects.filter(player__entrants__entry__in=[result.ns_id, result.ew_id]).values_list(
            "pk", flat=True
        )
    )
    told = Notice.objects.filter(key__regex="ranked|moved|unplaced", read_at=None)
    assert {
        notice.user_id: str(notice) for notice in told if after[notice.user_id] != before[notice.user_id]
    } == {
        user: (now_at(rank) if rank else "Your pair has no place in Swiss evening any more.")
        + " Reason: They had not played it."
        for user, rank in after.items()
        if rank != before[user]
    }
    assert told.count() == len(after)
    gone = told.filter(key__contains=" unplaced ")
    assert gone.count() == len(lost) == 4
    assert Outgoing.objects.filter(key__in=[f"notice {each.pk}" for each in gone]).count() == 4
    assert [entry.reason for entry in log_of(over).filter(action="pairs.ranked again")] == [
        "They had not played it."
    ]


def test_a_pair_that_is_disqualified_is_told_that_and_not_its_lost_place_as_well(
    over: Swiss, dora: User
) -> None:
    out = Standing.objects.get(event=over.pk, rank=1).contestant
    disqualify_pair(event_id=over.pk, order=out.order, by=dora, reason="They talked.")
    player = out.entry.entrants.select_related("player__user").earliest("pk").player
    assert unread(player.user, "place") == []
    assert unread(player.user, "disqualified. Reason: They talked.")
    second = Standing.objects.get(event=over.pk, rank=1).contestant
    follower = second.entry.entrants.select_related("player__user").earliest("pk").player
    assert unread(follower.user, "place") == [f"{now_at(1)} Reason: They talked."]


def test_a_place_that_changes_for_no_reason_given_is_told_in_the_language_of_the_reader(over: Swiss) -> None:
    RoundScore.objects.filter(contestant__standings__rank=1).update(numerator=-1)
    rank_anew(swiss=reload(over))
    last = Standing.objects.get(event=over.pk, rank=6).contestant
    player = last.entry.entrants.select_related("player__user").earliest("pk").player
    assert unread(player.user, "place") == [f"{now_at(6)} Reason: The event was ranked again."]
    told = Notice.objects.get(user=player.user, key__contains=" moved ")
    assert told.params["reason"] == ["The event was ranked again."]


# ---- points that a director takes off, or gives


@pytest.mark.parametrize(
    ("points", "said"), [("250", "loses 250 points"), ("-250.5", "is given 250.5 points")]
)
def test_points_taken_off_or_given_count_are_told_and_stand_in_the_log(
    client: Client, over: Swiss, dora: User, points: str, said: str
) -> None:
    client.force_login(dora)
    order = Standing.objects.get(event=over.pk, rank=3).contestant.order
    address = reverse("pairs:direct_pair", args=[over.pk, "penalty"])
    form = {"order": order, "points": points, "reason": "Slow play.", "command": uuid4()}
    for _time in range(2):
        answer = client.post(address, form, follow=True)
    assert "That was done before. Nothing has changed." in answer.content.decode()
    assert Penalty.objects.get().given_by == dora
    standing = Standing.objects.get(event=over.pk, contestant__order=order)
    assert (standing.rank, standing.penalty) == (6 if points == "250" else 1, Decimal(points))
    player = Player.objects.filter(entrants__swiss=over, entrants__entry__contestant__order=order).earliest(
        "pk"
    )
    assert unread(player.user, "Swiss evening: your pair") == [
        f"Swiss evening: your pair {said}. Reason: Slow play."
    ]
    log = client.get(reverse("pairs:direct_log", args=[over.pk])).content.decode()
    assert "points were taken off a pair, or given to it" in log
    assert "Slow play." in log
    award_event(event_id=over.pk)
    assert broken() == []


@pytest.mark.parametrize("points", ["0", "x", "10000", "1.234"])
def test_points_that_change_nothing_or_are_none_are_refused(
    client: Client, over: Swiss, dora: User, points: str
) -> None:
    client.force_login(dora)
    address = reverse("pairs:direct_pair", args=[over.pk, "penalty"])
    assert (
        client.post(
            address, {"order": 1, "points": points, "reason": "Late.", "command": uuid4()}
        ).status_code
        == 422
    )
    assert not Penalty.objects.exists()


def test_a_second_equal_penalty_counts_and_a_command_that_is_repeated_later_does_not(
    over: Swiss, dora: User
) -> None:
    first = uuid4()
    done = [
        penalize_pair(
            event_id=over.pk, order=1, points=Decimal(points), by=dora, reason=reason, command=command
        )
        for points, reason, command in (
            (3, "Late.", first),
            (3, "Late.", uuid4()),
            (2, "Slow play.", uuid4()),
            (3, "Late.", first),
        )
    ]
    assert done == [True, True, True, False]
    assert Standing.objects.get(event=over.pk, contestant__order=1).penalty == 8


def test_a_penalty_that_is_sent_again_when_the_result_is_final_was_done_before(
    over: Swiss, dora: User, client: Client
) -> None:
    client.force_login(dora)
    address = reverse("pairs:direct_pair", args=[over.pk, "penalty"])
    penalty = {"order": 1, "points": "\u22122", "reason": "Late.", "command": uuid4()}
    assert client.post(address, penalty).status_code == 302
    assert Standing.objects.get(event=over.pk, contestant__order=1).penalty == -2
    pass_time(minutes=40)
    assert reload(over).state == Swiss.State.OFFICIAL
    again = client.post(address, penalty, follow=True)
    assert "That was done before. Nothing has changed." in again.text


@pytest.mark.parametrize(("points", "said"), [("1", "1 point"), ("1.5", "1.5 points"), ("2", "2 points")])
def test_one_point_is_said_as_one(over: Swiss, dora: User, points: str, said: str) -> None:
    for sign in (1, -1):
        penalize_pair(
            event_id=over.pk, order=1, points=sign * Decimal(points), by=dora, reason="Late.", command=uuid4()
        )
    player = Player.objects.filter(entrants__swiss=over, entrants__entry__contestant__order=1)[0]
    assert player.user
    told = [str(notice) for notice in player.user.notices.order_by("pk")]
    assert f"Swiss evening: your pair loses {said}. Reason: Late." in told
    assert f"Swiss evening: your pair is given {said}. Reason: Late." in told


def test_penalties_of_a_pair_have_a_bound_and_the_round_closes(evening: Swiss, dora: User) -> None:
    def penalize(points: int) -> None:
        penalize_pair(
            event_id=evening.pk, order=1, points=Decimal(points), by=dora, reason="Late.", command=uuid4()
        )

    penalize(9998)
    with pytest.raises(Refused, match="at most"):
        penalize(2)
    penalize(1)
    penalize(-9999 - 9999)
    with pytest.raises(Refused, match="at most"):
        penalize(-1)
    Penalty.objects.update(points=Decimal("99999.99"))  # as an older release let them grow
    penalize(-9999)
    pass_time(minutes=21)
    assert reload(evening).all_rounds.get(number=1).state == "closed"
    assert Standing.objects.get(event=evening.pk, contestant__order=1).penalty == Decimal("290000.97")


def test_each_ranking_says_its_own_reason(over: Swiss, dora: User) -> None:
    """A correction that is not scored yet when a penalty ranks the event is the reason of the ranking that counts it."""
    corrected = Result.objects.filter(table="1").earliest("pk")
    change_result(result_id=corrected.pk, by=dora, reason="A revoke.")
    penalize_pair(event_id=over.pk, order=1, points=Decimal(1), by=dora, reason="Late.", command=uuid4())
    again = log_of(over).filter(action="pairs.ranked again").order_by("pk")
    assert [entry.reason for entry in again] == ["Late."]
    compare_field(field_id=over.event.field_id)
    penalize_pair(event_id=over.pk, order=1, points=Decimal(2), by=dora, reason="Slow play.", command=uuid4())
    for _time in range(2):
        rank_event(event_id=over.pk)
    assert [entry.reason for entry in again.all()] == ["Late.", "Slow play.", "A revoke."]
    change_result(result_id=corrected.pk, passed_out=True, by=dora, reason="None after all.")
    compare_field(field_id=over.event.field_id)
    rank_event(event_id=over.pk)
    assert [entry.reason for entry in again.all()][3:] == ["None after all."]


def test_no_points_are_taken_off_when_the_result_is_final(over: Swiss, dora: User) -> None:
    pass_time(minutes=40)
    with pytest.raises(Refused, match="is final"):
        penalize_pair(event_id=over.pk, order=1, points=Decimal(1), by=dora, reason="Late.", command=uuid4())
