"""The director's page for one result."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from apps.pairs.models import Event
from apps.pairs.services.publishing import publish_event
from apps.results.forms import CorrectionForm
from apps.results.models import Comparison, Result, ResultChange
from apps.results.selectors import results_with_names
from apps.results.services import change_result
from bridge.awards import Grade, Mixture, Ruling
from bridge.comparison import Method
from tests.factories import Entry, make_event, make_user

pytestmark = pytest.mark.django_db

DEAL = "N:KQ74.A6.KJ83.Q94 32.8742.T65.J765 AJT85.K93.Q2.T83 96.QJT5.A974.AK2"
BOARDS: list[list[Entry]] = [["4S N =", "4S N +1", "3NT S -1"], ["2H E =", 110, "Pass"]]


@pytest.fixture
def event() -> Event:
    event = make_event(BOARDS, method=Method.MP, deals={1: DEAL})
    publish_event(event_id=event.pk, by=None)
    return event


@pytest.fixture
def dora(client: Client) -> Client:
    client.force_login(make_user("dora", director=True))
    return client


def address(result: Result) -> str:
    return reverse("results:correct", args=[result.pk])


def first(event: Event) -> Result:
    return Result.objects.filter(field_board__field=event.field).earliest("pk")


def entries(result: Result, **changed: Any) -> dict[str, Any]:
    """What the form holds when it is opened, with these entries changed."""
    form = CorrectionForm(result=results_with_names([result.pk]).get())
    filled = {name: form[name].value() for name in form.fields}
    return {name: value for name, value in (filled | changed).items() if value is not None}


def save(client: Client, result: Result, **changed: Any) -> Any:
    """Show what it does, then press the button that saves it."""
    shown = client.post(address(result), entries(result, **changed))
    assert shown.status_code == 200, shown.context["form"].errors
    pressed = {"save": shown.context["form"].fingerprint}
    return client.post(address(result), entries(result, **changed) | pressed)


def test_a_visitor_signs_in_first_and_a_player_is_refused(client: Client, event: Event) -> None:
    result = first(event)
    assert client.get(address(result)).status_code == 302
    client.force_login(make_user("nora"))
    assert client.get(address(result)).status_code == 403
    data = entries(result, kind="passed out", reason="mine", save="anything")
    assert client.post(address(result), data).status_code == 403
    assert not ResultChange.objects.exists()


def test_only_a_director_finds_the_link_on_a_traveller(client: Client, event: Event) -> None:
    board = reverse("pairs:board", args=[event.pk, 1, 1])
    assert address(first(event)) not in client.get(board).text
    client.force_login(make_user("dora", director=True))
    assert address(first(event)) in client.get(board).text


def test_what_a_correction_does_is_shown_before_it_is_saved(dora: Client, event: Event) -> None:
    result, boards = first(event), list(Comparison.objects.order_by("pk").values())
    shown = dora.post(address(result), entries(result, ending="-1", reason="revoke"))
    (effect,) = shown.context["effects"]
    assert (effect.before.ns_score, effect.after.ns_score) == (420, -50)
    assert (effect.points_before.ns_percent, effect.points_after.ns_percent) == (50, 25)
    assert (effect.points_before.ew_percent, effect.points_after.ew_percent) == (50, 75)
    assert not ResultChange.objects.exists()
    assert list(Comparison.objects.order_by("pk").values()) == boards
    result.refresh_from_db()
    assert result.ns_score == 420


def test_a_saved_correction_has_its_reason_its_director_and_its_history(dora: Client, event: Event) -> None:
    result = first(event)
    saved = save(dora, result, ending="−1", lead="♥q", reason="revoke")
    assert saved.status_code == 302
    result.refresh_from_db()
    assert (result.ns_score, result.lead) == (-50, "HQ")
    change = ResultChange.objects.get()
    assert (str(change.by), change.reason) == ("dora", "revoke")
    page = dora.get(address(result)).text
    assert "corrected: revoke" in page
    assert "is corrected" in page


def test_what_was_not_looked_at_is_not_saved(dora: Client, event: Event) -> None:
    result = first(event)
    shown = dora.post(address(result), entries(result, ending="-1", reason="revoke"))
    pressed = {"save": shown.context["form"].fingerprint}
    again = dora.post(address(result), entries(result, ending="-2", reason="revoke") | pressed)
    assert again.status_code == 200
    assert again.context["effects"][0].after.ns_score == -100
    assert not ResultChange.objects.exists()


def test_two_directors_do_not_correct_past_one_another(dora: Client, event: Event) -> None:
    result = first(event)
    opened = entries(result, ending="-1", reason="revoke")
    fingerprint = dora.post(address(result), opened).context["form"].fingerprint
    change_result(result_id=result.pk, by=None, reason="a colleague", passed_out=True)
    late = dora.post(address(result), opened | {"save": fingerprint})
    assert late.status_code == 422
    assert "Somebody else changed this result meanwhile" in late.text
    assert ResultChange.objects.get().reason == "a colleague"


def test_saving_the_form_as_it_is_changes_nothing_and_says_so(dora: Client, event: Event) -> None:
    for result in Result.objects.filter(field_board__field=event.field):
        assert save(dora, result, reason="looked at it").status_code == 302
        assert "Nothing was changed" in dora.get(address(result)).text
    assert not ResultChange.objects.exists()


def test_without_a_reason_nothing_is_saved(dora: Client, event: Event) -> None:
    answer = dora.post(address(first(event)), entries(first(event), ending="-1"))
    assert answer.status_code == 422
    assert "reason" in answer.context["form"].errors


@pytest.mark.parametrize(
    ("changed", "ruling"),
    [
        ({"kind": "artificial", "ns_grade": "A+", "ew_grade": "A-"}, Ruling(Grade.PLUS, Grade.MINUS)),
        ({"kind": "assigned", "assigned": "4S N +1"}, Ruling.assigned(450)),
        ({"kind": "assigned", "assigned": "−100"}, Ruling.assigned(-100)),
        ({"kind": "assigned", "assigned": "Pass"}, Ruling.assigned(0)),
    ],
)
def test_a_ruling_stands_beside_what_was_played(
    dora: Client, event: Event, changed: dict[str, str], ruling: Ruling
) -> None:
    result = first(event)
    save(dora, result, reason="hesitation", **changed)
    result.refresh_from_db()
    assert (result.kind, result.ruling) == ("ruled", ruling.to_json())
    assert (result.level, result.ns_score) == (4, 420)
    page = dora.get(address(result))
    assert page.context["form"]["kind"].value() == changed["kind"]
    assert save(dora, result, reason="once more").status_code == 302
    assert ResultChange.objects.count() == 1


def test_a_weighted_score_is_split_when_the_sides_get_different_ones(dora: Client, event: Event) -> None:
    result = first(event)
    weights = {"ns_weighted": "60% +450, 40% −50", "ew_weighted": "1/3 420, 2/3 450"}
    save(dora, result, kind="weighted", reason="misinformation", **weights)
    result.refresh_from_db()
    assert result.ruling is not None
    ruling = Ruling.from_json(result.ruling)
    assert isinstance(ruling.ns, Mixture)
    assert isinstance(ruling.ew, Mixture)
    assert [score for _, score in ruling.ns.parts] == [450, -50]
    assert [score for _, score in ruling.ew.parts] == [420, 450]
    shown = dora.get(address(result)).context["form"]
    assert (shown["ns_weighted"].value(), shown["ew_weighted"].value()) == (
        "3/5 +450, 2/5 −50",
        "1/3 +420, 2/3 +450",
    )
    assert save(dora, result, reason="once more").status_code == 302
    assert ResultChange.objects.count() == 1


def test_a_contract_takes_a_ruling_back(dora: Client, event: Event) -> None:
    result = first(event)
    change_result(result_id=result.pk, by=None, reason="time", ruling=Ruling(Grade.PLUS, Grade.PLUS))
    contract = {"level": 4, "strain": "S", "declarer": "N", "ending": "="}
    save(dora, result, kind="played", reason="was finished after all", **contract)
    result.refresh_from_db()
    assert (result.kind, result.ruling, result.ns_score) == ("played", None, 420)


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"ending": "+9"}, "ending"),
        ({"ending": ""}, "ending"),
        ({"ending": "made"}, "ending"),
        ({"lead": "H1"}, "lead"),
        ({"level": "8"}, "level"),
        ({"declarer": ""}, "declarer"),
        ({"kind": "score", "score": "425"}, "score"),
        ({"kind": "score", "score": ""}, "score"),
        ({"kind": "assigned", "assigned": "4S"}, "assigned"),
        ({"kind": "assigned", "assigned": "425"}, "assigned"),
        ({"kind": "assigned", "assigned": "9S N ="}, "assigned"),
        ({"kind": "weighted", "ns_weighted": "60% +450, 50% −50"}, "ns_weighted"),
        ({"kind": "weighted", "ns_weighted": "120%"}, "ns_weighted"),
        ({"kind": "weighted", "ns_weighted": "1/0 +450"}, "ns_weighted"),
        ({"kind": "weighted", "ns_weighted": "A+", "ew_weighted": "nonsense"}, "ew_weighted"),
        ({"kind": "moved", "board": "999999"}, "board"),
        ({"kind": "guessed"}, "kind"),
    ],
)
def test_what_cannot_be_is_said_beside_its_field(
    dora: Client, event: Event, changed: dict[str, str], field: str
) -> None:
    answer = dora.post(address(first(event)), entries(first(event), reason="why", **changed))
    assert answer.status_code == 422
    assert list(answer.context["form"].errors) == [field]


def test_a_lead_from_another_hand_is_a_warning_not_a_refusal(dora: Client, event: Event) -> None:
    result = first(event)  # North declares, East leads
    shown = dora.post(address(result), entries(result, lead="SA", reason="why"))
    assert "does not hold the card that was led" in shown.text
    right = dora.post(address(result), entries(result, lead="H8", reason="why"))
    assert "does not hold the card that was led" not in right.text


def test_a_move_shows_both_results_and_swaps_them(dora: Client, event: Event) -> None:
    result = first(event)
    other = Result.objects.get(field_board__board__number=2, ns=result.ns)
    move = {"kind": "moved", "board": other.field_board_id, "reason": "boards mixed up"}
    shown = dora.post(address(result), entries(result, **move))
    assert [effect.after.ns_score for effect in shown.context["effects"]] == [-110, 620]
    assert save(dora, result, **move).status_code == 302
    assert ResultChange.objects.count() == 2


def test_a_move_to_an_occupied_place_is_refused_in_a_sentence(dora: Client, event: Event) -> None:
    result = first(event)
    other = Result.objects.exclude(ns=result.ns).filter(field_board=result.field_board).earliest("pk")
    answer = dora.post(address(result), entries(result, kind="moved", ns=other.ns_id, reason="why"))
    assert answer.status_code == 422
    assert "another result on board 1" in answer.text


def test_one_goes_back_to_the_page_one_came_from_on_this_site_alone(dora: Client, event: Event) -> None:
    result = first(event)
    board = reverse("pairs:board", args=[event.pk, 1, 1])
    for asked, shown in ((board, True), ("https://elsewhere.example/", False)):
        text = dora.get(address(result), {"next": asked}).text
        assert (f'href="{asked}"' in text) == shown


def test_the_page_takes_the_same_queries_whatever_the_size_of_the_event(
    dora: Client, django_assert_max_num_queries: Any
) -> None:
    for tables in (3, 30):
        event = make_event([["4S N ="] * tables] * 2)
        publish_event(event_id=event.pk, by=None)
        with django_assert_max_num_queries(21):
            assert dora.get(address(first(event))).status_code == 200
