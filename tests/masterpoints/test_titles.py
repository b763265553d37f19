"""What the ledger brings to players: points once, titles once, and a word about both."""

import random
from decimal import Decimal
from importlib import import_module

import pytest
from django.db import IntegrityError, connection, transaction

from apps.clock.models import Outgoing
from apps.masterpoints import services
from apps.masterpoints.models import Award, TitleWon, Total
from apps.masterpoints.selectors import unbalanced_events
from apps.masterpoints.services import award_event
from apps.pages.invariants import broken
from apps.pairs.models import Entry, Event, Standing, Swiss
from apps.pairs.services.disqualification import disqualify_pair
from apps.pairs.services.publishing import publish_event, unpublish_event
from apps.pairs.services.ranking import rank_event
from apps.results.models import Contestant, Result
from apps.results.services import change_result, compare_field
from apps.users.models import Notice, Player, User
from tests.factories import make_event, make_user
from tests.faults.threads import at_once
from tests.pairs.evening import enter_pairs, make_swiss, pass_time, play_round, reload, start

pytestmark = pytest.mark.django_db

TEN_TABLES = [[-10 * table for table in range(10)] for _ in range(2)]


def published(title: str = "Monday Pairs") -> Event:
    event = make_event(TEN_TABLES, title=title)
    publish_event(event_id=event.pk, by=None)
    return event


def winner_of(event: Event) -> Player:
    """Somebody of a pair that gets points, with an account from now on."""
    best = Standing.objects.filter(event=event, session=0).latest("masterpoints")
    player = best.contestant.players.earliest("pk")
    player.user = make_user(f"winner{event.pk}")
    player.save()
    return player


def give(event: Event, points: str) -> None:
    """Have the standings say so for everybody, and the ledger follow."""
    Standing.objects.filter(event=event, session=0).update(masterpoints=Decimal(points))
    award_event(event_id=event.pk)


def play_both(first: Event, second: Event) -> None:
    """Have the people of the first event play the second, too."""
    pairs = zip(first.field.contestants.order_by("pk"), second.field.contestants.order_by("pk"), strict=True)
    for one, other in pairs:
        for member, same in zip(one.members.order_by("pk"), other.members.order_by("pk"), strict=True):
            other.members.filter(pk=same.pk).update(player=member.player)


def told(user: User | None) -> list[str]:
    return [str(notice) for notice in Notice.objects.filter(user=user).order_by("pk")]


def test_each_entry_of_the_ledger_is_told_once() -> None:
    event = published()
    winner = winner_of(event)
    for _ in range(2):
        give(event, "3")
    for _ in range(2):
        give(event, "1.5")
    give(event, "2")
    assert told(winner.user) == [
        "Master points for Monday Pairs: 3.",
        "Your master points make you a Graded Player.",
        "Your master points for Monday Pairs were corrected: −1.5. Reason: The event was ranked again.",
        "Your master points for Monday Pairs were corrected: +0.5. Reason: The event was ranked again.",
    ]
    assert Award.objects.filter(player=winner).count() == 3
    assert Outgoing.objects.filter(kind="users.mail").count() == 4


def test_titles_that_are_passed_at_once_are_all_written_down_and_the_highest_is_told() -> None:
    event = published()
    winner = winner_of(event)
    give(event, "15.00")
    rows = TitleWon.objects.filter(player=winner).order_by("level")
    assert [(row.level, row.award.points) for row in rows] == [(level, Decimal(15)) for level in (1, 2, 3)]
    assert told(winner.user)[1:] == ["Your master points make you an Advanced Player."]


def test_a_title_lost_by_a_correction_and_reached_again_is_not_won_twice() -> None:
    event = published()
    winner = winner_of(event)
    give(event, "5")
    give(event, "4.99")
    assert Total.objects.get(player=winner).points == Decimal("4.99")  # a Graded Player again
    give(event, "5")
    assert [row.level for row in TitleWon.objects.filter(player=winner).order_by("level")] == [1, 2]
    assert sum("make you" in sentence for sentence in told(winner.user)) == 1
    assert [sentence for sentence in told(winner.user) if "title" in sentence] == [
        f"By a correction of Monday Pairs your title is now: {name}. Reason: The event was ranked again."
        for name in ("Graded Player", "Intermediate Player")
    ]


def test_points_titles_and_notices_stand_together_or_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    event = published()
    winner_of(event)

    def fail(**_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(services, "notify", fail)
    with pytest.raises(RuntimeError):
        award_event(event_id=event.pk)
    for table in (Award, Total, TitleWon, Notice):
        assert not table.objects.exists()
    monkeypatch.undo()
    award_event(event_id=event.pk)
    for table in (Award, Total, TitleWon, Notice):
        assert table.objects.exists()


@pytest.mark.parametrize("table", ["masterpoints_award", "masterpoints_titlewon"])
@pytest.mark.parametrize("change", ["UPDATE {} SET player_id = player_id", "DELETE FROM {}"])
def test_the_database_refuses_to_change_the_ledger(table: str, change: str) -> None:
    award_event(event_id=published().pk)
    with connection.cursor() as cursor:
        with pytest.raises(IntegrityError, match="never changed"), transaction.atomic():
            cursor.execute(change.format(table))
        with transaction.atomic():  # without the guard it would
            cursor.execute(f"DROP TRIGGER {table}_append_only ON {table}")
            cursor.execute(change.format(table))
            assert cursor.rowcount > 0
            transaction.set_rollback(True)


@pytest.mark.django_db(transaction=True)
def test_two_events_awarded_at_the_same_moment_give_a_title_once() -> None:
    first, second = published("Monday Pairs"), published("Tuesday Pairs")
    play_both(first, second)
    winner = winner_of(first)
    Standing.objects.filter(session=0).update(masterpoints=3)
    for _ in range(10):
        answers = at_once(
            lambda: award_event(event_id=first.pk),
            lambda: award_event(event_id=second.pk),
            lambda: award_event(event_id=first.pk),
        )
        assert not [answer for answer in answers if isinstance(answer, Exception)]
    assert Total.objects.get(player=winner).points == 6
    assert [row.level for row in TitleWon.objects.filter(player=winner).order_by("level")] == [1, 2]
    assert Award.objects.filter(player=winner).count() == 2
    assert sum(sentence.startswith("Master points") for sentence in told(winner.user)) == 2
    assert unbalanced_events() == []


def test_an_event_that_runs_itself_awards_at_its_end_and_follows_a_later_disqualification() -> None:
    swiss = make_swiss(rounds=2)
    enter_pairs(swiss, 8)
    start(swiss)
    for seed in (1, 2):
        play_round(swiss, random.Random(seed))
        pass_time(minutes=21)
    assert reload(swiss).state == Swiss.State.FINISHED
    first = list(Award.objects.order_by("pk").values_list("pk", "points"))
    assert sorted((points for _, points in first), reverse=True) == [3, 3, 2, 2, 2, 2, 2, 2]
    won = Standing.objects.get(event=swiss.pk, rank=1).contestant
    winner = won.players.earliest("pk")
    assert told(winner.user)[-3:] == [
        "Swiss evening is over: your pair is number 1 of 8.",
        "Master points for Swiss evening: 3.",
        "Your master points make you a Graded Player.",
    ]
    disqualify_pair(event_id=swiss.pk, order=won.order, by=make_user("dora"), reason="They looked.")
    award_event(event_id=swiss.pk)
    assert set(Award.objects.filter(entry=2).values_list("reason", flat=True)) == {"They looked."}
    assert list(Award.objects.order_by("pk").values_list("pk", "points"))[: len(first)] == first
    assert (
        told(winner.user)[-1]
        == "By a correction of Swiss evening your title is now: No title. Reason: They looked."
    )
    assert (
        told(winner.user)[-2]
        == "Your master points for Swiss evening were corrected: −3. Reason: They looked."
    )
    second = Standing.objects.get(event=swiss.pk, rank=1).contestant.players.earliest("pk")
    assert told(second.user)[-1] == (
        "Your master points for Swiss evening were corrected: +1. Reason: They looked."
    )
    assert Total.objects.get(player=winner).points == 0
    assert unbalanced_events() == []
    assert broken() == []


def test_who_played_too_little_is_told_that_it_is_over_and_gets_no_points() -> None:
    swiss = make_swiss(rounds=2)
    enter_pairs(swiss, 4)
    start(swiss)
    play_round(swiss, random.Random(1))
    pass_time(minutes=21)
    swiss = reload(swiss)
    left = swiss.entries.latest("pk")
    Entry.objects.filter(pk=left.pk).update(state=Entry.State.WITHDRAWN)
    play_round(swiss, random.Random(2))
    pass_time(minutes=21)
    player = left.entrants.earliest("pk").player
    assert told(player.user)[-1] == "Swiss evening is over."
    assert not Award.objects.filter(player=player).exists()
    assert Award.objects.count() == 2  # three finished: the first pair alone is paid


def test_an_event_that_awards_nothing_never_comes_to_award_something() -> None:
    event = make_event(TEN_TABLES)
    Event.objects.filter(pk=event.pk).update(awards_masterpoints=False)
    publish_event(event_id=event.pk, by=None)
    Contestant.objects.filter(field=event.field, label="1 NS").update(status=Contestant.Status.DISQUALIFIED)
    rank_event(event_id=event.pk)
    award_event(event_id=event.pk)
    assert unpublish_event(event_id=event.pk, by=None)
    award_event(event_id=event.pk)
    assert publish_event(event_id=event.pk, by=None)
    award_event(event_id=event.pk)
    for table in (Award, Total, TitleWon, Notice):
        assert not table.objects.exists()


def test_pairs_that_share_a_place_share_its_points_and_none_is_lost() -> None:
    scores = [400, 200, 200, 100, 50, 0]  # the second and the third place are shared
    event = make_event([scores, scores])
    publish_event(event_id=event.pk, by=None)
    award_event(event_id=event.pk)
    north_south = Standing.objects.filter(event=event, session=0, contestant__direction="NS")
    assert [(each.rank, each.masterpoints) for each in north_south.order_by("position")][:4] == [
        (1, 3),
        (2, Decimal("2.00")),
        (2, Decimal("2.00")),
        (4, 0),
    ]
    scores = [400, 400, 200, 100, 50, 0]
    event = make_event([scores, scores], title="Tuesday Pairs")
    publish_event(event_id=event.pk, by=None)
    award_event(event_id=event.pk)
    shared = Award.objects.filter(event=event, player__memberships__contestant__direction="NS")
    assert sorted(award.points for award in shared) == [2, 2, *[Decimal("2.50")] * 4]
    assert sum(award.points for award in shared) == 2 * (3 + 2 + 2)


def test_titles_of_a_ledger_that_is_older_than_they_are_follow_from_its_entries() -> None:
    first, second = published("Monday Pairs"), published("Tuesday Pairs")
    Standing.objects.filter(session=0).update(masterpoints=Decimal("3"))
    play_both(first, second)
    award_event(event_id=first.pk)
    award_event(event_id=second.pk)
    written = set(TitleWon.objects.values_list("player_id", "level", "award_id", "won_at"))
    assert {level for _, level, _, _ in written} == {1, 2}
    migration = import_module("apps.masterpoints.migrations.0003_titles_and_published_rankings")
    with connection.cursor() as cursor, transaction.atomic():
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("TRUNCATE masterpoints_titlewon")
        cursor.execute(migration.TITLES_SO_FAR)
    assert set(TitleWon.objects.values_list("player_id", "level", "award_id", "won_at")) == written


def test_publication_taken_back_is_the_reason_for_points_that_go() -> None:
    event = published()
    winner = winner_of(event)
    award_event(event_id=event.pk)
    unpublish_event(event_id=event.pk, by=None)
    award_event(event_id=event.pk)
    assert lost(winner, "The event is not published any more.") in told(winner.user)


def test_a_correction_of_an_imported_event_is_the_reason_for_the_points_that_follow() -> None:
    event = published()
    winner = winner_of(event)
    award_event(event_id=event.pk)
    for side, score in (("ns", -7600), ("ew", 7600)):
        for result in Result.objects.filter(**{f"{side}__members__player": winner}):
            change_result(result_id=result.pk, by=None, reason="Boards mixed up.", score=score)
    compare_field(field_id=event.field_id)
    rank_event(event_id=event.pk)
    award_event(event_id=event.pk)
    assert lost(winner, "Boards mixed up.") in told(winner.user)


def lost(player: Player, reason: str) -> str:
    """What is told to somebody who loses all points of the event."""
    points = Award.objects.get(player=player, entry=1).points.normalize()
    return f"Your master points for Monday Pairs were corrected: −{points:f}. Reason: {reason}"
