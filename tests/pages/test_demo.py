"""The demo season: legal, plausible, the same each time, and scored by the product's own services."""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import date
from fractions import Fraction
from io import StringIO
from random import Random

import pytest
from django.core.management import CommandError, call_command

from apps.boards.models import Board
from apps.masterpoints.models import Award
from apps.pages.demo.load import is_loaded, load_season
from apps.pages.demo.names import country_of, invent_more
from apps.pages.demo.season import PLANS, Plan, Season, Table, make_season, meetings
from apps.pairs.models import Event, Standing
from apps.results.models import Comparison, Result, ResultChange
from apps.results.selectors import stale_fields
from apps.users.countries import country_choices
from apps.users.looks import mixed_word
from apps.users.models import Player, User
from bridge.cards import Card, Deal
from bridge.comparison import Method

TODAY = date(2026, 11, 30)


@pytest.fixture(scope="module")
def season() -> Season:
    return make_season(TODAY)


def tables(season: Season) -> Iterator[tuple[str, Table]]:
    """Every table of the season with the deal on it, empty where the event has no hands."""
    for event in season.events:
        for table in event.tables:
            yield event.boards[table.session - 1][table.board], table


def test_the_same_date_gives_the_same_season(season: Season) -> None:
    assert make_season(TODAY) == season
    assert [event.tables for event in make_season(date(2027, 1, 1)).events] == [
        event.tables for event in season.events
    ]


def test_every_player_has_a_name_of_his_own(season: Season) -> None:
    assert 120 <= len(season.players) == len(set(season.players)) <= 200


def test_the_players_come_from_many_countries_and_some_do_not_say(season: Season) -> None:
    homes = Counter(map(country_of, [*season.players, *invent_more(Random(1), 3000)]))
    assert homes.keys() - {""} <= {code for code, _name in country_choices()}
    assert len(homes) > 25
    assert 0.05 < homes[""] / homes.total() < 0.2


def test_every_player_could_have_signed_up_under_his_name(season: Season) -> None:
    assert [mixed_word(name) for name in season.players if mixed_word(name)] == []


def test_more_names_than_there_are_taken_ones_repeat_with_a_number(season: Season) -> None:
    names = invent_more(Random(1), 3000, taken=season.players)
    assert len(set(names)) == 3000
    assert not set(names) & set(season.players)
    assert names[:50] == invent_more(Random(1), 50, taken=season.players)
    assert sum(name.endswith(" 2") for name in names) > 500


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.title)
def test_an_event_has_a_name_for_readers_of_either_language(plan: Plan) -> None:
    for name in (plan.title, plan.venue):
        assert re.search("[\u4e00-\u9fff]{2}", name)
        assert re.search("[A-Za-z]{3}", name)


@pytest.mark.parametrize(("pairs", "rounds"), [(12, 11), (17, 17), (60, 20)])
def test_a_pair_never_meets_the_same_pair_twice(pairs: int, rounds: int) -> None:
    met = Counter(frozenset(meeting) for number in range(rounds) for meeting in meetings(pairs, number))
    assert max(met.values()) == 1
    sat_north_south = Counter(ns for number in range(rounds) for ns, _ in meetings(pairs, number))
    sat_east_west = Counter(ew for number in range(rounds) for _, ew in meetings(pairs, number))
    assert all(abs(sat_north_south[pair] - sat_east_west[pair]) <= 3 for pair in range(pairs))


def test_a_pair_plays_each_board_once_and_nobody_plays_for_two(season: Season) -> None:
    for event in season.events:
        boards = Counter((pair, t.session, t.board) for t in event.tables for pair in (t.ns, t.ew))
        assert max(boards.values()) == 1
        at_once = Counter((pair, t.session, t.round) for t in event.tables for pair in (t.ns, t.ew))
        assert max(at_once.values()) <= event.plan.boards
        assert max(Counter(player for pair in event.pairs for player in pair.players).values()) == 1


def test_every_lead_is_in_the_leaders_hand(season: Season) -> None:
    led = 0
    for pbn, table in tables(season):
        if pbn and table.outcome and table.outcome.contract:
            declarer = table.outcome.contract.declarer
            assert declarer is not None
            leader = Deal.from_pbn(pbn)[declarer.left]
            assert leader is not None
            assert Card.from_text(table.outcome.lead) in leader.cards
            led += 1
    assert led > 3000


def test_the_contracts_look_like_those_of_a_club(season: Season) -> None:
    outcomes = [table.outcome for _, table in tables(season) if table.outcome]
    contracts = [outcome.contract for outcome in outcomes if outcome.contract]
    made = [outcome.tricks or 0 for outcome in outcomes if outcome.contract]
    level = Counter(contract.level for contract in contracts)
    total = len(contracts)
    assert 0.001 < (len(outcomes) - total) / len(outcomes) < 0.05
    assert 0.02 < (level[6] + level[7]) / total < 0.10
    assert 0.30 < (level[1] + level[2]) / total < 0.60
    assert 0.01 < sum(contract.doubling > 0 for contract in contracts) / total < 0.12
    assert (
        0.60
        < sum(tricks >= c.tricks_needed for c, tricks in zip(contracts, made, strict=True)) / total
        < 0.85
    )
    declarers = Counter(contract.declarer for contract in contracts)
    assert max(declarers.values()) < 0.35 * total


@pytest.mark.django_db
def test_the_loaded_season_is_scored_and_its_sums_are_right(season: Season) -> None:
    load_season(today=TODAY)
    assert Event.objects.count() == len(PLANS)
    assert Event.objects.filter(state=Event.State.DRAFT).count() == 1
    assert set(Event.objects.values_list("field__method", flat=True)) == set(Method)
    assert Player.objects.count() == len(season.players)
    assert Result.objects.count() == sum(len(event.tables) for event in season.events)
    assert set(Result.objects.values_list("kind", flat=True)) == {"played", "ruled", "not played"}
    assert ResultChange.objects.filter(by__username="director").count() == 21
    assert not Board.objects.exclude(deal="").filter(par_score=None).exists()
    open_field = Event.objects.get(title__contains="Datum Trophy").field_id
    draft_field = Event.objects.get(state=Event.State.DRAFT).field_id
    assert set(stale_fields()) == {open_field, draft_field}
    assert Standing.objects.filter(tied=True).exists()
    assert Standing.objects.filter(session=2).exists()
    assert Standing.objects.filter(session=0, rank=None, contestant__status="withdrawn").exists()
    assert Award.objects.filter(event__title=PLANS[0].title).count() == 20
    assert Comparison.objects.exclude(results=[]).count() > 280
    for comparison in Comparison.objects.select_related("field_board__field"):
        ruled = Result.objects.filter(pk__in=comparison.results, kind=Result.Kind.RULED).exists()
        both = [ns + ew for ns, ew in zip(comparison.ns_points, comparison.ew_points, strict=True)]
        if not ruled:
            assert set(both) <= {comparison.top or 0}
        if not ruled and comparison.field_board.field.method in (Method.CROSS_IMP, Method.TOTAL_IMP):
            assert sum(comparison.ns_points) == 0
    for event in Event.objects.filter(field__method=Method.MP, state=Event.State.PUBLISHED).exclude(
        field__field_boards__results__kind=Result.Kind.RULED
    ):
        rows = event.standings.filter(session=0, penalty=0)
        mean = sum((row.score for row in rows), Fraction(0)) / len(rows)
        assert abs(mean - 50) < 1, event


@pytest.mark.django_db
def test_the_command_loads_once_and_then_leaves_things_alone() -> None:
    said = StringIO()
    assert not is_loaded()
    call_command("load_demo", stdout=said)
    assert is_loaded()
    assert "14 events" in said.getvalue()
    call_command("load_demo", stdout=said)
    assert "Nothing was changed" in said.getvalue()
    assert Event.objects.count() == len(PLANS)
    player, director, admin = (User.objects.get(username=name) for name in ("player", "director", "admin"))
    assert player.check_password("datum-demo")
    assert not player.directs
    partners = set(Player.objects.filter(contestants__players__user=player, user=None))
    assert len(partners) >= 3
    assert director.directs
    assert not director.is_staff
    assert admin.is_superuser


@pytest.mark.django_db
def test_known_passwords_stay_out_of_production(settings: pytest.FixtureRequest) -> None:
    settings.SETTINGS_MODULE = "config.settings.production"  # type: ignore[attr-defined]
    with pytest.raises(CommandError, match="without-logins"):
        call_command("load_demo")
    assert not Event.objects.exists()
    call_command("load_demo", "--without-logins", stdout=StringIO())
    assert Event.objects.count() == len(PLANS)
    assert not User.objects.exists()
