"""What people are told."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from apps.users.models import Notice, User
from apps.users.selectors import NOTICES_A_PAGE, count_unread
from apps.users.services import mark_read, notify
from tests.factories import make_user

pytestmark = pytest.mark.django_db

CORRECTED = "%(event)s, board %(board)s: your result was corrected. Reason: %(reason)s"
PARAMS: dict[str, str | int] = {"event": "Harbour Pairs", "board": 7, "reason": "revoke"}


def tell(*users: User, key: str = "result corrected 1") -> None:
    people = [user.pk for user in users]
    notify(users=people, key=key, message=CORRECTED, params=PARAMS, url="/events/")


def test_a_notice_is_read_in_the_language_of_its_reader(client: Client) -> None:
    nora = make_user("nora")
    tell(nora)
    client.force_login(nora)
    english = "Harbour Pairs, board 7: your result was corrected. Reason: revoke"
    assert english in client.get("/notices/").text
    nora.language = "zh-hans"
    nora.save()
    chinese = client.get("/notices/").text
    assert 'lang="zh-Hans"' in chinese
    assert "Harbour Pairs" in chinese


def test_nobody_is_told_the_same_twice() -> None:
    nora, will = make_user("nora"), make_user("will")
    tell(nora)
    tell(nora, will)
    assert [notice.user for notice in Notice.objects.order_by("pk")] == [nora, will]
    tell(nora, key="result corrected 2")
    assert count_unread(nora) == 2


def test_telling_nobody_is_no_fault() -> None:
    tell()
    assert not Notice.objects.exists()


def test_words_with_percent_signs_and_markup_stay_words(client: Client) -> None:
    nora = make_user("nora")
    odd: dict[str, str | int] = PARAMS | {"reason": "60 % <b>of</b> %(event)s"}
    notify(users=[nora.pk], key="odd", message=CORRECTED, params=odd, url="/events/")
    client.force_login(nora)
    assert "60 % &lt;b&gt;of&lt;/b&gt; %(event)s" in client.get("/notices/").text


def test_the_head_of_every_page_says_how_many_wait(client: Client, django_assert_num_queries: Any) -> None:
    nora = make_user("nora")
    client.force_login(nora)
    assert "new notice" not in client.get("/help/").text
    for number in range(3):
        tell(nora, key=f"result corrected {number}")
    tell(make_user("will"))
    page = client.get("/help/").text
    assert '<span class="you">3</span>' in page
    with django_assert_num_queries(3):  # session, account, notices
        client.get("/help/")


def test_opening_a_notice_leads_on_and_marks_it_as_read(client: Client) -> None:
    nora = make_user("nora")
    tell(nora)
    client.force_login(nora)
    notice = Notice.objects.get()
    answer = client.get(f"/notices/{notice.pk}/")
    assert (answer.status_code, answer["Location"]) == (302, "/events/")
    assert count_unread(nora) == 0
    notice.refresh_from_db()
    first = notice.read_at
    client.get(f"/notices/{notice.pk}/")
    notice.refresh_from_db()
    assert notice.read_at == first


def test_another_persons_notice_is_not_found_and_stays_unread(client: Client) -> None:
    nora = make_user("nora")
    tell(nora)
    client.force_login(make_user("will"))
    assert client.get(f"/notices/{Notice.objects.get().pk}/").status_code == 404
    mark_read(user=User.objects.get(username="will"), notice_id=Notice.objects.get().pk)
    assert count_unread(nora) == 1


def test_all_are_marked_as_read_by_one_button_and_not_by_a_link(client: Client) -> None:
    nora = make_user("nora")
    for number in range(3):
        tell(nora, key=f"result corrected {number}")
    client.force_login(nora)
    assert client.get("/notices/read/").status_code == 405
    assert count_unread(nora) == 3
    assert client.post("/notices/read/").status_code == 302
    assert count_unread(nora) == 0


def test_a_visitor_signs_in_first(client: Client) -> None:
    for address in ("/notices/", "/notices/1/"):
        assert client.get(address).status_code == 302
    assert client.post("/notices/read/").status_code == 302


def test_the_newest_come_first_and_older_ones_on_the_next_page(
    client: Client, django_assert_num_queries: Any
) -> None:
    nora = make_user("nora")
    for number in range(NOTICES_A_PAGE + 5):
        tell(nora, key=f"result corrected {number}")
    Notice.objects.filter(key="result corrected 0").update(created_at=timezone.now() + timedelta(days=1))
    client.force_login(nora)
    with django_assert_num_queries(4):
        first = client.get("/notices/")
    assert first.context["notices"][0].key == f"result corrected {NOTICES_A_PAGE + 4}"
    second = client.get("/notices/", {"before": first.context["more"]})
    assert len(second.context["notices"]) == 5
    assert second.context["more"] is None
    assert client.get("/notices/", {"before": "x"}).status_code == 200


def test_who_leaves_takes_the_notices_along() -> None:
    nora = make_user("nora")
    tell(nora)
    nora.delete()
    assert not Notice.objects.exists()
