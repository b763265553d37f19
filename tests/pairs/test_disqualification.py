"""A director disqualifies a pair, with a reason: what it loses, what the others keep, and how that is taken back."""

import random
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from pytest_django.asserts import assertContains, assertNotContains

from apps.clock.models import AuditEntry
from apps.masterpoints.models import Award
from apps.masterpoints.services import award_event
from apps.pages.invariants import broken
from apps.pairs.models import Entry, Round, RoundScore, Seat, Standing, Swiss
from apps.pairs.selectors.oversight import decisions_of
from apps.pairs.services.desk import sit_down
from apps.pairs.services.registration import Refused, enter_pair, withdraw_pair
from apps.results.models import Comparison, Contestant
from apps.users.models import Notice, Player, User
from bridge.masterpoints import award
from tests.factories import make_user
from tests.pairs.evening import enter_pairs, make_swiss, pass_time, play_round, reload, start

pytestmark = pytest.mark.django_db

REASON = "They looked at the hands of the next table."


@pytest.fixture
def dora() -> User:
    return make_user("dora", director=True)


@pytest.fixture
def director(client: Client, dora: User) -> Client:
    client.force_login(dora)
    return client


@pytest.fixture
def evening() -> Swiss:
    """Six pairs have played the first of two rounds, and sit in the second."""
    swiss = make_swiss(rounds=2)
    enter_pairs(swiss, 6)
    start(swiss)
    play_round(swiss, random.Random(1))
    pass_time(minutes=21)
    return reload(swiss)


@pytest.fixture
def over(evening: Swiss) -> Swiss:
    """The ranking stands, and can still be corrected."""
    play_round(evening, random.Random(2))
    pass_time(minutes=21)
    award_event(event_id=evening.pk)
    swiss = reload(evening)
    assert swiss.state == Swiss.State.FINISHED
    return swiss


def press(director: Client, swiss: Swiss, name: str, order: int, reason: str = REASON) -> Any:
    address = reverse("pairs:direct_pair", args=[swiss.pk, name])
    return director.post(address, {"order": order, "reason": reason})


def offered(director: Client, swiss: Swiss, order: int) -> list[str]:
    page = director.get(reverse("pairs:direct_pairs", args=[swiss.pk]), {"pair": order})
    return [command.name for command, _form in page.context["commands"]]


def ranks(swiss: Swiss) -> dict[int, int | None]:
    return dict(Standing.objects.filter(event=swiss.pk).values_list("contestant__order", "rank"))


def ranked(swiss: Swiss, rank: int) -> int:
    return next(order for order, each in ranks(swiss).items() if each == rank)


def status_of(swiss: Swiss, order: int) -> tuple[str, str]:
    entry = Entry.objects.select_related("contestant").get(swiss=swiss, contestant__order=order)
    return entry.state, entry.contestant.status


def told(swiss: Swiss, order: int) -> list[str]:
    """What is new to the players of a pair."""
    users = User.objects.filter(
        player__entrants__entry__contestant__order=order, player__entrants__swiss=swiss
    )
    return [str(notice) for notice in Notice.objects.filter(user__in=users, read_at=None).order_by("pk")]


def test_it_has_neither_rank_nor_points_and_what_others_won_against_it_stands(
    director: Client, over: Swiss
) -> None:
    out = ranked(over, 1)
    before = ranks(over)
    totals = dict(
        Standing.objects.exclude(contestant__order=out).values_list("contestant", "total_numerator")
    )
    boards = list(Comparison.objects.order_by("pk").values_list("ns_points", "ew_points"))

    assert press(director, over, "disqualify", out).status_code == 302
    award_event(event_id=over.pk)

    after = ranks(over)
    assert after.pop(out) is None
    assert after == {order: (rank or 0) - 1 for order, rank in before.items() if order != out}
    assert list(Comparison.objects.order_by("pk").values_list("ns_points", "ew_points")) == boards
    left = Standing.objects.exclude(contestant__order=out)
    assert dict(left.values_list("contestant", "total_numerator")) == totals
    points = {order: award(rank or 0, 5) for order, rank in after.items()} | {out: 0}
    for player in Player.objects.filter(entrants__swiss=over):
        order = player.contestants.get(field=over.event.field).order
        given = Award.objects.filter(player=player).values_list("points", flat=True)
        assert sum(given) == points[order]
    assert broken() == []
    assertContains(director.get(over.event.get_absolute_url()), "disqualified")


def test_nothing_is_done_without_a_reason_and_who_did_it_is_kept(
    director: Client, dora: User, evening: Swiss
) -> None:
    refused = press(director, evening, "disqualify", 2, reason=" \u202e ")
    assert refused.status_code == 422
    assert status_of(evening, 2) == ("playing", "active")

    press(director, evening, "disqualify", 2)

    assert status_of(evening, 2) == ("withdrawn", "disqualified")
    entry = AuditEntry.objects.get(action="pairs.disqualified")
    assert (entry.actor_name, entry.reason) == ("dora", REASON)
    assert [each.action for each in decisions_of(evening)] == ["pairs.disqualified"]
    log = director.get(reverse("pairs:direct_log", args=[evening.pk]))
    assertContains(log, "a pair was disqualified")
    assertContains(log, REASON)


def test_from_the_round_being_played_it_is_missing_and_it_is_seated_no_more(director: Client) -> None:
    swiss = make_swiss(rounds=3, late_until=3)
    enter_pairs(swiss, 6)
    start(swiss)
    seat = Seat.objects.get(round__swiss=swiss, table=1, side="NS")
    out = seat.contestant.order
    other = Seat.objects.get(round=seat.round_id, table=1, side="EW").contestant_id

    press(director, swiss, "disqualify", out)
    page = director.get(reverse("pairs:direct", args=[swiss.pk]))
    assertContains(page, "is disqualified")
    pass_time(minutes=21)

    kinds = dict(RoundScore.objects.filter(round=seat.round_id).values_list("contestant", "kind"))
    assert (kinds[seat.contestant_id], kinds[other]) == ("absent", "walkover")
    assert not Seat.objects.filter(round__number=2, contestant=seat.contestant_id).exists()
    assert Seat.objects.filter(round__number=2).count() == 5
    with pytest.raises(Refused, match="entered already"):
        sit_down(event_id=swiss.pk, player=Player.objects.filter(entrants__entry=seat.contestant_id)[0])
    assert broken() == []


def test_a_result_that_it_has_in_the_round_being_played_counts(director: Client, evening: Swiss) -> None:
    play_round(evening, random.Random(2))
    seat = Seat.objects.filter(round__number=2, table=2)[0]

    press(director, evening, "disqualify", seat.contestant.order)
    pass_time(minutes=21)

    kinds = RoundScore.objects.filter(round=seat.round_id).values_list("kind", flat=True)
    assert set(kinds) == {"played"}


def test_both_players_are_told_and_why_in_the_site_and_by_mail(director: Client, evening: Swiss) -> None:
    press(director, evening, "disqualify", 2)
    pass_time(seconds=1)

    sentence = f"Swiss evening: pair 2 is disqualified. Reason: {REASON}"
    assert told(evening, 2).count(sentence) == 2
    assert not [each for each in told(evening, 1) if "disqualified" in each]
    mailed = {address for each in mail.outbox if REASON in each.body for address in each.to}
    users = User.objects.filter(player__entrants__entry__contestant__order=2)
    assert mailed == set(users.values_list("email", flat=True))
    own = Client()
    own.force_login(users[0])
    page = own.get(evening.event.get_absolute_url())
    assertContains(page, "Your pair is disqualified.")
    assertNotContains(page, "seat us in the next round")


@pytest.mark.parametrize("withdrew", [False, True])
def test_it_is_taken_back_and_all_is_as_it_was(director: Client, over: Swiss, withdrew: bool) -> None:
    out = ranked(over, 2)
    if withdrew:
        entry = Entry.objects.get(swiss=over, contestant__order=out)
        Entry.objects.filter(pk=entry.pk).update(state=Entry.State.WITHDRAWN)
        Contestant.objects.filter(pk=entry.pk).update(status=Contestant.Status.WITHDRAWN)
    state = status_of(over, out)
    before, awards = ranks(over), dict(Standing.objects.values_list("contestant", "masterpoints"))

    press(director, over, "disqualify", out)
    assert offered(director, over, out) == ["penalty", "reinstate"]
    assert press(director, over, "reinstate", out, reason="").status_code == 422
    press(director, over, "reinstate", out, reason="It was another table.")

    assert status_of(over, out) == state
    if not withdrew:
        assert ranks(over) == before
        assert dict(Standing.objects.values_list("contestant", "masterpoints")) == awards
    assert offered(director, over, out) == ["penalty", "disqualify"]
    back = [each for each in told(over, out) if "is not disqualified any more." in each]
    assert len(back) == 2
    assert all(each.endswith("Reason: It was another table.") for each in back)
    assert [each.action for each in decisions_of(over)] == ["pairs.reinstated", "pairs.disqualified"]
    award_event(event_id=over.pk)
    assert broken() == []


def test_a_pair_taken_back_sits_at_its_table_again_and_in_the_next_round(director: Client) -> None:
    swiss = make_swiss(rounds=3)
    enter_pairs(swiss, 4)
    start(swiss)

    press(director, swiss, "disqualify", 1)
    press(director, swiss, "reinstate", 1)

    assert not Seat.objects.filter(missing=True).exists()
    play_round(swiss, random.Random(3))
    pass_time(minutes=21)
    assert set(RoundScore.objects.values_list("kind", flat=True)) == {"played"}
    assert Seat.objects.filter(round__number=2, contestant__order=1).exists()


def test_a_pair_that_entered_another_event_meanwhile_is_not_taken_back_into_two(
    director: Client, evening: Swiss
) -> None:
    press(director, evening, "disqualify", 1)
    other = make_swiss(title="The other evening")
    Swiss.objects.filter(pk=other.pk).update(starts_at=evening.starts_at)
    players = list(Player.objects.filter(entrants__swiss=evening, entrants__entry__contestant__order=1))
    enter_pair(event_id=other.pk, players=players, by=None)

    answer = press(director, evening, "reinstate", 1)

    assertContains(answer, "is entered in The other evening", status_code=422)
    assert status_of(evening, 1) == ("withdrawn", "disqualified")


def test_it_is_offered_from_the_first_round_until_the_result_is_final(director: Client) -> None:
    swiss = make_swiss(rounds=1)
    enter_pairs(swiss, 4)
    assert offered(director, swiss, 1) == ["return", "substitute", "withdraw"]
    refused = press(director, swiss, "disqualify", 1)
    assertContains(refused, "Withdraw the pair instead.", status_code=422)
    start(swiss)
    assert offered(director, swiss, 1) == ["return", "substitute", "withdraw", "penalty", "disqualify"]
    withdraw_pair(event_id=swiss.pk, order=2, by=None)
    assert offered(director, swiss, 2) == ["return", "penalty", "disqualify"]
    pass_time(minutes=22)
    assert reload(swiss).state == Swiss.State.FINISHED
    assert offered(director, swiss, 1) == ["penalty", "disqualify"]
    pass_time(minutes=40)

    assert reload(swiss).state == Swiss.State.OFFICIAL
    assert offered(director, swiss, 1) == []
    for name in ("disqualify", "reinstate"):
        refused = press(director, swiss, name, 1)
        assertContains(refused, "is final. Take that back on the director", status_code=422)
    assert status_of(swiss, 1) == ("playing", "active")


def test_pressing_it_twice_does_it_once(director: Client, evening: Swiss) -> None:
    for _time in range(2):
        assert press(director, evening, "disqualify", 3).status_code == 302
    assert AuditEntry.objects.filter(action="pairs.disqualified").count() == 1
    for _time in range(2):
        assert press(director, evening, "reinstate", 3).status_code == 302
    assert AuditEntry.objects.filter(action="pairs.reinstated").count() == 1
    assert Round.objects.filter(swiss=evening, state=Round.State.OPEN).count() == 1


def test_a_director_who_plays_disqualifies_nobody(client: Client, evening: Swiss) -> None:
    own = User.objects.filter(player__entrants__entry__contestant__order=1)[0]
    User.objects.filter(pk=own.pk).update(is_director=True)
    client.force_login(own)
    assert press(client, evening, "disqualify", 2).status_code == 403
    assert status_of(evening, 2) == ("playing", "active")


def test_every_command_says_what_follows_from_it(director: Client, evening: Swiss) -> None:
    for page in (
        director.get(reverse("pairs:direct", args=[evening.pk])),
        director.get(reverse("pairs:direct_pairs", args=[evening.pk]), {"pair": 1}),
    ):
        commands = list(page.context["commands"])
        assert len(commands) >= 4
        for command, _form in commands:
            assertContains(page, str(command.explains), html=True)
