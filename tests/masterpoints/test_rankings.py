"""Rankings of months and years: previewed, published, left as they were when the ledger is corrected."""

import csv
import io
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.clock.selectors import audit_of
from apps.masterpoints.models import Period, Ranking, RankingRow
from apps.masterpoints.selectors import (
    ledger_digest,
    period_states,
    preview,
    published_rows,
    ranking,
    versions_of,
)
from apps.masterpoints.services import Stale, award_event, publish_ranking
from apps.pairs.models import Event, Standing
from apps.pairs.services.publishing import publish_event
from apps.users.models import Player, User
from bridge.errors import BridgeError
from tests.factories import make_event, make_user
from tests.faults.threads import at_once

pytestmark = pytest.mark.django_db

NOVEMBER = Period(Ranking.Kind.MONTH, date(2026, 11, 1))
DECEMBER = Period(Ranking.Kind.MONTH, date(2026, 12, 1))
THIS_YEAR = Period(Ranking.Kind.YEAR, date(2026, 1, 1))
FIVE_TABLES = [[400, 200, 200, 100, 0]] * 2


def played(day: date | None, title: str = "Monday Pairs") -> Event:
    event = make_event(FIVE_TABLES, title=title)
    Event.objects.filter(pk=event.pk).update(played_on=day)
    publish_event(event_id=event.pk, by=None)
    award_event(event_id=event.pk)
    return event


def publish(period: Period = NOVEMBER, by: User | None = None) -> Ranking:
    return publish_ranking(period=period, digest=ledger_digest(period), by=by)


def correct(event: Event, points: str) -> Player:
    """Somebody else's figure for the pair that won; returns one of the two."""
    best = Standing.objects.filter(event=event, session=0).order_by("-masterpoints", "pk")[0]
    Standing.objects.filter(pk=best.pk).update(masterpoints=Decimal(points))
    award_event(event_id=event.pk)
    return best.contestant.players.earliest("pk")


@pytest.fixture
def administrator(client: Client) -> User:
    admin = User.objects.create_superuser("admin", "admin@example.org", "datum-demo")
    client.force_login(admin)
    return admin


def sums(period: Period) -> Decimal:
    return preview(period, None).points


def test_an_event_counts_in_the_month_of_its_day_whenever_it_is_published() -> None:
    played(date(2026, 11, 30))
    played(date(2025, 12, 31), "New Year's Eve Pairs")
    assert sums(NOVEMBER) == sums(THIS_YEAR) > 0
    assert sums(DECEMBER) == 0
    assert sums(Period(Ranking.Kind.YEAR, date(2025, 1, 1))) == sums(NOVEMBER)


def test_an_event_without_a_day_counts_on_the_day_of_its_publication_on_the_sites_clocks() -> None:
    event = played(None)
    for moment, month in [
        (datetime(2026, 11, 30, 15, 59, tzinfo=UTC), NOVEMBER),  # 23:59 in Shanghai
        (datetime(2026, 11, 30, 16, 0, tzinfo=UTC), DECEMBER),
    ]:
        Event.objects.filter(pk=event.pk).update(published_at=moment)
        assert [sums(each) > 0 for each in (NOVEMBER, DECEMBER)] == [month == NOVEMBER, month == DECEMBER]
        assert [state.period for state in period_states()] == [THIS_YEAR, month]


def test_what_is_published_stays_when_the_ledger_is_corrected_until_a_new_version() -> None:
    event = played(date(2026, 11, 23))
    first = publish()
    rows = published_rows(first)
    assert rows == [row for row in ranking() if row.points]  # the only event there is
    assert [row.rank for row in rows[:5]] == [1, 1, 1, 1, 5]

    loser = correct(event, "1.25")
    assert published_rows(first) == rows
    looked = preview(NOVEMBER, first, only_changed=True)
    assert looked.changed == len(looked.rows) == 2
    row = next(row for row in looked.rows if row.player_id == loser.pk)
    assert (row.points, row.points_before) == (Decimal("1.25"), Decimal("3.00"))

    second = publish()
    assert (first.version, second.version) == (1, 2)
    assert published_rows(first) == rows
    assert next(row.points for row in published_rows(second) if row.player_id == loser.pk) == Decimal("1.25")
    assert preview(NOVEMBER, second).changed == 0


def test_a_player_who_leaves_a_ranking_by_correction_is_seen_in_the_preview() -> None:
    event = played(date(2026, 11, 23))
    first = publish()
    gone = correct(event, "0")
    looked = preview(NOVEMBER, first)
    row = looked.rows[-1]
    assert gone.pk in {row.player_id for row in looked.rows[-2:]}
    assert (row.rank, row.points, row.rank_before) == (None, Decimal(0), 1)
    assert looked.players == len(looked.rows) - 2


def test_publishing_twice_publishes_once(administrator: User) -> None:
    played(date(2026, 11, 23))
    assert publish(by=administrator) == publish(by=administrator)
    assert Ranking.objects.count() == 1
    (entry,) = audit_of("masterpoints.ranking", Ranking.objects.get().pk)
    assert (entry.actor_name, entry.action) == ("admin", "masterpoints.published")
    assert entry.after is not None
    assert (entry.after["period"], entry.after["version"]) == ("2026-11", 1)


@pytest.mark.django_db(transaction=True)
def test_two_administrators_at_the_same_moment_publish_one_version() -> None:
    event = played(date(2026, 11, 23))
    for version in (1, 2, 3):
        correct(event, f"{version}.5")
        answers = at_once(*[publish] * 4)
        assert [ranking.version for ranking in answers] == [version] * 4  # type: ignore[attr-defined]
    assert [ranking.version for ranking in versions_of(NOVEMBER)] == [3, 2, 1]


def test_only_what_was_looked_at_is_published() -> None:
    event = played(date(2026, 11, 23))
    digest = ledger_digest(NOVEMBER)
    correct(event, "1")
    with pytest.raises(Stale):
        publish_ranking(period=NOVEMBER, digest=digest, by=None)
    assert not Ranking.objects.exists()
    assert not RankingRow.objects.exists()


def test_a_month_without_master_points_is_not_published() -> None:
    with pytest.raises(BridgeError, match="Nobody has master points from December 2026"):
        publish(DECEMBER)


@pytest.mark.parametrize("change", ["UPDATE {} SET points = 9", "DELETE FROM {}"])
def test_the_database_refuses_to_change_what_was_published(change: str) -> None:
    played(date(2026, 11, 23))
    publish()
    with connection.cursor() as cursor:
        with pytest.raises(IntegrityError, match="never changed"), transaction.atomic():
            cursor.execute(change.format("masterpoints_rankingrow"))
        with transaction.atomic():
            cursor.execute("DROP TRIGGER masterpoints_rankingrow_append_only ON masterpoints_rankingrow")
            cursor.execute(change.format("masterpoints_rankingrow"))
            assert cursor.rowcount > 0
            transaction.set_rollback(True)


@pytest.mark.parametrize(("kind", "starts_on"), [("month", date(2026, 11, 2)), ("year", date(2026, 2, 1))])
def test_a_ranking_starts_with_its_month_or_year(kind: str, starts_on: date) -> None:
    with pytest.raises(IntegrityError, match="ranking_starts_with_its_period"):
        Ranking.objects.create(
            kind=kind, starts_on=starts_on, version=1, published_at=datetime(2026, 12, 1, tzinfo=UTC)
        )


# ---- pages


def test_a_visitor_sees_published_rankings_only(client: Client) -> None:
    event = played(date(2026, 11, 23))
    page = client.get("/masterpoints/", {"month": "2026-11"})
    assert "The ranking of November 2026 is not published yet." in page.text
    assert "Nora 1" not in page.text
    assert client.get("/masterpoints/ranking.csv", {"month": "2026-11"}).status_code == 404
    publish()
    publish(THIS_YEAR)
    correct(event, "0.75")
    publish()
    page = client.get("/masterpoints/", {"month": "2026-11"})
    assert [row.points for row, _ in page.context["rows"]].count(Decimal("0.75")) == 2
    assert "As published on" in page.text
    year = client.get("/masterpoints/", {"year": "2026"})
    assert [row.points for row, _ in year.context["rows"]].count(Decimal("0.75")) == 0
    assert 'href="?month=2026-11"' in year.text
    old = client.get("/masterpoints/", {"month": "2026-11", "version": "1"})
    assert "a later one is published" in old.text
    assert [row.points for row, _ in old.context["rows"]].count(Decimal("0.75")) == 0
    assert client.get("/masterpoints/", {"month": "2026-11", "version": "3"}).status_code == 404


def test_only_administrators_preview_and_publish(client: Client) -> None:
    played(date(2026, 11, 23))
    for address in ("/masterpoints/publish/", "/masterpoints/publish/2026-11/"):
        assert client.get(address)["Location"].startswith("/accounts/login/")
    client.force_login(make_user(director=True))
    for address in ("/masterpoints/publish/", "/masterpoints/publish/2026-11/"):
        assert client.get(address).status_code == 403
    assert "Preview and publish" not in client.get("/masterpoints/", {"year": "2026"}).text
    assert client.post("/masterpoints/publish/2026-11/").status_code == 403
    assert not Ranking.objects.exists()


def test_an_administrator_looks_publishes_and_is_stopped_when_the_ledger_moved(
    client: Client, administrator: User
) -> None:
    event = played(date(2026, 11, 23))
    assert "not published" in client.get("/masterpoints/publish/").text
    page = client.get("/masterpoints/publish/2026-11/")
    digest = page.context["preview"].digest
    assert f'value="{digest}"' in page.text
    correct(event, "1")
    refused = client.post("/masterpoints/publish/2026-11/", {"digest": digest})
    assert refused.status_code == 409
    assert "The master points of November 2026 have changed." in refused.text
    digest = refused.context["preview"].digest
    answer = client.post("/masterpoints/publish/2026-11/", {"digest": digest}, follow=True)
    assert "version 1 is published" in answer.text
    assert "What is published is what the ledger says." in answer.text
    correct(event, "2")
    assert "changed since" in client.get("/masterpoints/publish/").text
    page = client.get("/masterpoints/publish/2026-11/", {"changed": "1"})
    assert len(page.context["rows"]) == 2
    assert "Publish as version 2" in page.text


@pytest.mark.parametrize(
    "query", ["month=2026-13", "month=2026", "year=26", "month=²026-11", "year=0000", "year=9999&x", "month="]
)
def test_a_period_that_does_not_exist_is_not_found(query: str, client: Client) -> None:
    wanted = 200 if query == "month=2026" else 404
    assert client.get(f"/masterpoints/?{query}").status_code == wanted


def test_pages_of_a_published_ranking_follow_one_another(
    client: Client, django_assert_num_queries: Any
) -> None:
    event = played(date(2026, 11, 23))
    with django_assert_num_queries(2):
        client.get("/masterpoints/", {"month": "2026-11"})
    publish()
    with django_assert_num_queries(3):  # the versions, the page of it, the periods
        client.get("/masterpoints/", {"month": "2026-11"})
    give_everybody_points(event, 250)
    newest = publish()
    with django_assert_num_queries(3):
        client.get("/masterpoints/", {"month": "2026-11"})
    whole = published_rows(newest, size=None)
    assert len(whole) > 250
    pages, after = [], None
    while page := published_rows(newest, after=after, size=9):
        pages += page
        after = page[-1].player_id
    assert pages == whole
    last = client.get("/masterpoints/", {"month": "2026-11", "after": str(whole[199].player_id)})
    assert [row for row, _ in last.context["rows"]] == whole[200:]
    found = client.get("/masterpoints/", {"month": "2026-11", "q": "member 7"}).context["rows"]
    assert [row for row, _ in found] == [row for row in whole if row.name.startswith("Member 7")]


def test_the_preview_takes_the_same_queries_for_ten_players_and_for_hundreds(
    client: Client, administrator: User, django_assert_num_queries: Any
) -> None:
    event = played(date(2026, 11, 23))
    publish()
    with django_assert_num_queries(6):  # session, account, notices; versions, sums, rows
        client.get("/masterpoints/publish/2026-11/")
    give_everybody_points(event, 250)
    with django_assert_num_queries(6):
        page = client.get("/masterpoints/publish/2026-11/")
    assert page.context["next"] == 2
    with django_assert_num_queries(5):
        client.get("/masterpoints/publish/")


def give_everybody_points(event: Event, people: int) -> None:
    """Entries of the ledger for so many more people."""
    players = Player.objects.bulk_create(
        Player(name=f"Member {number}", name_key=f"member {number}") for number in range(people)
    )
    with connection.cursor() as cursor:
        cursor.execute(
            """INSERT INTO masterpoints_award (player_id, event_id, entry, points, reason, awarded_at)
               SELECT player, %s, 1, 1 + player %% 3, '', now() FROM unnest(%s::bigint[]) AS player""",
            [event.pk, [player.pk for player in players]],
        )


def test_the_file_holds_the_page_and_no_formula(client: Client) -> None:
    played(date(2026, 11, 23))
    Player.objects.filter(name="Nora 1").update(name='=HYPERLINK("http://example.org")')
    publish()
    queries: list[dict[str, str]] = [{}, {"month": "2026-11"}]
    for query in queries:
        answer = client.get("/masterpoints/ranking.csv", query)
        assert answer["Content-Type"].startswith("text/csv")
        rows = list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"))))
        shown = [row for row, _ in client.get("/masterpoints/", query).context["rows"]]
        assert [(row[0], Decimal(row[2])) for row in rows[1:]] == [
            (f"{row.rank}{'=' if row.tied else ''}", row.points) for row in shown
        ]
        assert "'=HYPERLINK" in answer.text
        assert not any(row[1].startswith("=") for row in rows)


@pytest.mark.parametrize(("back", "warned"), [(0, True), (40, False)])
def test_who_publishes_a_period_that_is_not_over_is_warned(
    back: int, warned: bool, client: Client, administrator: User
) -> None:
    day = timezone.localdate() - timedelta(days=back)
    page = client.get(reverse("masterpoints:publish", args=[f"{day:%Y-%m}"])).content.decode()
    assert ("This period is not over yet" in page) is warned
