from typing import Any

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from apps.clock.models import AuditEntry
from apps.masterpoints.models import Award
from apps.masterpoints.services import award_event
from apps.pairs.models import Event
from apps.pairs.services.publishing import publish_event
from apps.results.models import Contestant, Field, Penalty, Result, ResultChange
from apps.users.models import User
from tests.administration import page_of, sent_by
from tests.factories import Entry, make_event
from tests.pairs.evening import enter_pairs, make_swiss

BOARDS: list[list[Entry]] = [["4S N =", 450, 400], ["Pass", 100, 50]]
OURS = [model for model in admin.site._registry if model.__module__.startswith("apps.")]


@pytest.fixture
def event(db: None) -> Event:
    return make_event(BOARDS)


@pytest.fixture
def director(client: Client, db: None) -> Client:
    client.force_login(User.objects.create_superuser("vera", "vera@example.org", "datum-demo"))
    return client


def change(director: Client, result: Result, **data: Any) -> Any:
    address, shown = page_of(director, result)
    return director.post(address, shown | {"contract": "", "score": "", "award": "", **data})


@pytest.mark.parametrize("model", OURS, ids=lambda model: model.__name__)
def test_every_list_opens_and_asks_no_question_per_row(
    model: Any, director: Client, event: Event, django_assert_max_num_queries: Any
) -> None:
    publish_event(event_id=event.pk, by=None)
    make_event(BOARDS)
    address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
    with django_assert_max_num_queries(9):
        assert director.get(address).status_code == 200
    assert director.get(address, {"q": "Nora"}).status_code == 200


def test_a_result_is_changed_with_a_reason_that_stays(director: Client, event: Event) -> None:
    result = Result.objects.earliest("pk")
    page = director.get(reverse("admin:results_result_change", args=[result.pk]))
    assert page.context["adminform"].form.initial["contract"] == "4S N ="
    assert change(director, result, contract="4S N -1", reason="revoke").status_code == 302
    result.refresh_from_db()
    assert (result.tricks, result.ns_score) == (9, -50)
    said = ResultChange.objects.get()
    assert (said.reason, str(said.by)) == ("revoke", "vera")
    page = director.get(reverse("admin:results_result_change", args=[result.pk]))
    assert "revoke" in page.content.decode()


def test_saving_without_a_change_leaves_no_history(director: Client, event: Event) -> None:
    change(director, Result.objects.earliest("pk"), contract="4S N =", reason="looked at it")
    assert not ResultChange.objects.exists()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"contract": "4S N +4"}, "13 tricks"),
        ({"contract": "9S N ="}, "level from 1 to 7"),
        ({"contract": "4S"}, "who declared"),
        ({"award": '{"ns": {"grade": "A++"}, "ew": {"grade": "A"}}'}, "is not an adjusted score"),
        ({"score": "425"}, "multiple of step size 10"),
        ({"contract": "4S N =", "reason": ""}, "required"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(
    director: Client, event: Event, data: dict[str, str], said: str
) -> None:
    answer = change(director, Result.objects.earliest("pk"), **{"reason": "because", **data})
    assert answer.status_code == 200
    assert said in answer.content.decode()
    assert not ResultChange.objects.exists()


def test_where_nothing_was_ruled_the_field_of_the_ruling_is_empty(director: Client, event: Event) -> None:
    result = Result.objects.earliest("pk")
    assert page_of(director, result)[1]["award"] == ""
    award = '{"ew": {"grade": "A"}, "ns": {"grade": "A"}}'
    change(director, result, award=award, reason="not finished")
    assert page_of(director, result)[1]["award"] == award


def test_an_award_is_ruled_and_taken_back(director: Client, event: Event) -> None:
    """An unfinished board counts with the award until the director assigns a score."""
    result = Result.objects.earliest("pk")
    change(director, result, award='{"ns": {"grade": "A"}, "ew": {"grade": "A"}}', reason="not finished")
    result.refresh_from_db()
    assert (result.kind, result.ns_score) == (Result.Kind.RULED, None)
    change(director, result, contract="4S N =", reason="the rest was plain")
    result.refresh_from_db()
    assert (result.kind, result.ns_score, result.ruling) == (Result.Kind.PLAYED, 420, None)
    assert result.changes.count() == 2


def act(director: Client, action: str, event: Event) -> None:
    data = {"action": action, "_selected_action": [event.pk]}
    assert director.post(reverse("admin:pairs_event_changelist"), data).status_code == 302
    event.refresh_from_db()


def test_an_event_is_published_rescored_and_taken_back(director: Client, event: Event) -> None:
    act(director, "publish", event)
    assert (event.state, str(event.published_by)) == (Event.State.PUBLISHED, "vera")
    version = event.ranked_version
    act(director, "rescore", event)
    assert event.ranked_version == Field.objects.get(pk=event.field_id).version > version
    act(director, "unpublish", event)
    assert event.state == Event.State.DRAFT


def edit_pair(director: Client, pair: Contestant, **data: Any) -> Any:
    address, shown = page_of(director, pair)
    return director.post(address, shown | data)


def log() -> list[tuple[str, str, Any, Any, str]]:
    entries = AuditEntry.objects.filter(subject_kind="pairs.event", action="pairs.changed").order_by("pk")
    return [(each.actor_name, each.action, each.before, each.after, each.reason) for each in entries]


def test_a_penalty_names_who_gave_it_stands_in_the_log_and_has_the_event_ranked_again(
    director: Client, event: Event
) -> None:
    publish_event(event_id=event.pk, by=None)
    pair = event.field.contestants.earliest("order")
    given = {"penalties-0-session": 1, "penalties-0-points": "1.5", "penalties-0-reason": "slow play"}
    assert edit_pair(director, pair, **given, **{"penalties-TOTAL_FORMS": 1}).status_code == 302
    penalty = Penalty.objects.get()
    assert str(penalty.given_by) == "vera"
    event.refresh_from_db()
    assert event.ranked_version < Field.objects.get(pk=event.field_id).version
    said = {"points": "1.5", "reason": "slow play"}
    named = {"pair": pair.order}
    assert log() == [("vera", "pairs.changed", named, named | said, "slow play")]

    assert edit_pair(director, pair, **{"penalties-0-DELETE": "on"}).status_code == 302
    assert not Penalty.objects.exists()
    who, _, before, after, why = log()[-1]
    assert (who, after, why) == ("vera", named, "slow play")
    assert before == named | {"session": "1", "points": "1.50", "reason": "slow play"}


def test_what_is_edited_of_an_imported_event_and_its_pairs_stands_in_its_log(
    director: Client, event: Event
) -> None:
    pair = event.field.contestants.earliest("order")
    assert edit_pair(director, pair, status="disqualified").status_code == 302
    named = {"pair": pair.order}
    assert log() == [
        ("vera", "pairs.changed", named | {"status": "active"}, named | {"status": "disqualified"}, "")
    ]
    assert edit_pair(director, pair, status="disqualified").status_code == 302
    assert len(log()) == 1  # nothing was changed

    address, shown = page_of(director, event)
    data = shown | {"finish_percent": 50, "sessions-0-title": "Afternoon"}
    assert director.post(address, data).status_code == 302
    assert [(before, after) for _, _, before, after, _ in log()[1:]] == [
        ({"finish_percent": "70"}, {"finish_percent": "50"}),
        ({"title": ""}, {"title": "Afternoon"}),
    ]


def test_who_publishes_an_event_and_who_takes_that_back_stands_in_its_log(
    director: Client, event: Event
) -> None:
    act(director, "publish", event)
    act(director, "unpublish", event)
    done = AuditEntry.objects.filter(subject_id=event.pk).order_by("pk").values_list("actor_name", "action")
    assert list(done) == [("vera", "pairs.published"), ("vera", "pairs.unpublished")]


def test_of_an_event_that_runs_itself_only_the_words_are_edited_and_the_rest_leads_to_its_director(
    director: Client,
) -> None:
    swiss = make_swiss()
    (entry, *_) = enter_pairs(swiss, 2)
    direct = reverse("pairs:direct_pairs", args=[swiss.pk])
    address = reverse("admin:results_contestant_change", args=[entry.pk])
    page = director.get(address)
    assert direct in page.content.decode()
    assert not page.context["has_change_permission"]
    assert edit_pair(director, entry.contestant, status="disqualified").status_code == 403

    address = reverse("admin:pairs_event_change", args=[swiss.pk])
    page = director.get(address)
    assert direct in page.content.decode()
    assert set(page.context["adminform"].form.fields) == {"title", "organisation", "venue"}
    assert not page.context["inline_admin_formsets"]
    shown = sent_by(page.text)
    answer = director.post(address, shown | {"title": "Evening", "state": "draft", "finish_percent": 1})
    assert answer.status_code == 302
    event = Event.objects.get(pk=swiss.pk)
    assert (event.title, event.state, event.finish_percent) == ("Evening", "announced", 70)
    assert log() == [("vera", "pairs.changed", {"title": "Swiss evening"}, {"title": "Evening"}, "")]


def test_nobody_edits_the_ledger(director: Client, event: Event) -> None:
    publish_event(event_id=event.pk, by=None)
    award_event(event_id=event.pk)
    award = Award.objects.earliest("pk")
    assert director.get(reverse("admin:masterpoints_award_add")).status_code == 403
    assert (
        director.post(reverse("admin:masterpoints_award_change", args=[award.pk]), {"points": 9}).status_code
        == 403
    )
    assert director.post(reverse("admin:masterpoints_award_delete", args=[award.pk])).status_code == 403


def test_a_result_that_is_doubtful_after_the_change_is_flagged_and_one_that_is_not_is_not(
    director: Client,
) -> None:
    make_event([["4S N =", 420, 420, 450]])
    result = Result.objects.earliest("pk")
    doubtful = director.get(
        change(director, result, contract="4S E =", reason="declarer").headers["Location"]
    )
    assert "far from every other score" in doubtful.content.decode()
    right = director.get(change(director, result, contract="4S S =", reason="declarer").headers["Location"])
    assert "far from every other score" not in right.content.decode()


def test_a_change_to_a_declarer_of_the_other_side_than_the_fields_is_flagged(director: Client) -> None:
    make_event([["4S N =", "4S S =", "4S N +1"]])
    result = Result.objects.earliest("pk")
    page = director.get(change(director, result, contract="4S W =", reason="declarer").headers["Location"])
    assert "the other side played in this strain" in page.content.decode()
    page = director.get(change(director, result, contract="4S W -4", reason="tricks").headers["Location"])
    assert "the other side played in this strain" not in page.content.decode()
