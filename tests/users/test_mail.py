"""Notices by mail: who gets which, in which words, and what a bad mail server can spoil."""

import random
import re
import runpy
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core import mail
from django.core.signing import Signer
from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_noop

from apps.clock.models import Outgoing
from apps.clock.selectors import half_sent, unsent
from apps.clock.services import Ticked, schedule, tick
from apps.clock.time import move, now
from apps.clock.transitions import Transition, transitions
from apps.users.models import Notice, User
from apps.users.services import mark_read, notify, notify_each
from tests.factories import confirm_addresses, make_user
from tests.faults.threads import at_once
from tests.pairs.evening import enter_pairs, make_swiss, pass_time, play_round, start
from tests.users.mail_server import GOOD, mail_server

pytestmark = pytest.mark.django_db

SMTP = "django.core.mail.backends.smtp.EmailBackend"
SENTENCE = gettext_noop("%(event)s does not take place.")


def tell(
    *users: User, key: str = "1", event: str = "Harbour Pairs", important: bool = True, repeats: bool = False
) -> None:
    notify(
        users=[user.pk for user in users],
        key=key,
        message=SENTENCE,
        url="/events/7/",
        params={"event": event},
        important=important,
        repeats=repeats,
    )


def addresses() -> list[str]:
    return [address for message in mail.outbox for address in message.to]


@pytest.mark.parametrize(
    ("chosen", "important", "comes"),
    [
        (User.Mail.NONE, True, False),
        (User.Mail.IMPORTANT, True, True),
        (User.Mail.IMPORTANT, False, False),
        (User.Mail.AWAY, True, True),
        (User.Mail.AWAY, False, True),  # nobody has signed in
        (User.Mail.ALL, True, True),
        (User.Mail.ALL, False, True),
    ],
)
def test_a_person_gets_by_mail_what_was_asked_for(chosen: str, important: bool, comes: bool) -> None:
    User.objects.filter(pk=make_user("nora").pk).update(mail=chosen)
    tell(User.objects.get(), important=important)
    tick()
    assert addresses() == (["nora@example.org"] if comes else [])
    assert Notice.objects.count() == 1  # in the site in any case


def test_who_never_chose_gets_the_important_ones_and_while_away_the_others() -> None:
    assert make_user("nora").mail == User.Mail.AWAY


def last_heard(nora: User, *, minutes: int) -> None:
    ago = timezone.now() - timedelta(minutes=minutes)
    User.objects.filter(pk=nora.pk).update(seen_at=ago, last_login=ago)


def test_who_is_at_the_site_gets_only_the_important_ones(client: Client) -> None:
    nora = make_user("nora")
    client.force_login(nora)
    last_heard(nora, minutes=60)
    client.get("/help/")
    tell(nora, key="seat", important=False)
    assert not Outgoing.objects.exists()
    tell(nora, key="title")
    assert Outgoing.objects.count() == 1
    last_heard(nora, minutes=11)
    tell(nora, key="next seat", important=False)
    assert Outgoing.objects.count() == 2
    assert Notice.objects.count() == 3


def test_a_visit_is_written_down_once_a_minute(client: Client, django_assert_num_queries: Any) -> None:
    nora = make_user("nora")
    client.force_login(nora)
    last_heard(nora, minutes=2)
    with django_assert_num_queries(4):  # session, account, sign of life, notices
        client.get("/help/")
    with django_assert_num_queries(3):
        client.get("/help/")
    nora.refresh_from_db()
    assert nora.heard_at
    assert timezone.now() - nora.heard_at < timedelta(minutes=1)


def test_of_what_repeats_only_the_first_is_mailed_until_the_reader_was_here() -> None:
    nora = make_user("nora")
    last_heard(nora, minutes=60)
    for board in range(3):
        tell(nora, key=f"to confirm {board}", important=False, repeats=True)
    assert Outgoing.objects.count() == 1
    Notice.objects.update(created_at=timezone.now() - timedelta(minutes=30))
    last_heard(nora, minutes=20)
    tell(nora, key="to confirm 3", important=False, repeats=True)
    tell(nora, key="to confirm 4", important=False, repeats=True)
    assert Outgoing.objects.count() == 2
    mark_read(user=nora)  # settled by partner
    tell(nora, key="to confirm 5", important=False, repeats=True)
    assert Outgoing.objects.count() == 3


def test_what_does_not_repeat_is_mailed_each_time() -> None:
    nora = make_user("nora")
    for number in range(3):
        tell(nora, key=f"seat {number}", important=False)
    assert Outgoing.objects.count() == 3


def test_what_is_read_or_settled_before_the_mail_leaves_is_not_mailed() -> None:
    nora, will = make_user("nora"), make_user("will")
    tell(nora, will)
    mark_read(user=nora)
    assert tick() == Ticked(sent=2)
    assert addresses() == ["will@example.org"]


@pytest.mark.parametrize("change", [{"email": ""}, {"is_active": False}])
def test_an_account_without_an_address_or_closed_gets_none(change: dict[str, Any]) -> None:
    nora = make_user("nora")
    User.objects.filter(pk=nora.pk).update(**change)
    tell(nora)
    assert not Outgoing.objects.exists()


def test_no_notice_goes_to_an_address_before_it_is_confirmed(client: Client) -> None:
    form = {
        "username": "nora",
        "email": "Nora@example.org",
        "player_name": "Nora",
        "password1": "seven no trumps",
        "password2": "seven no trumps",
    }
    client.post(reverse("account_signup"), form)
    (confirmation,) = mail.outbox
    nora = User.objects.get()
    tell(nora, key="before")
    assert not Outgoing.objects.exists()
    assert "No notice goes to" in client.get("/accounts/preferences/").text

    link = re.search(r"http://testserver(\S+)", str(confirmation.body))
    assert link
    client.post(link[1])
    tell(nora, key="after")
    tick()
    assert len(mail.outbox) == 2
    assert mail.outbox[1].to == [nora.email]
    assert "Mails go to" in client.get("/accounts/preferences/").text


def test_a_mail_that_waits_does_not_leave_when_the_address_becomes_another(client: Client) -> None:
    nora = make_user("nora")
    tell(nora)
    User.objects.update(email="stranger@example.org")
    assert tick() == Ticked(sent=1)
    assert not mail.outbox


def test_to_an_address_that_nobody_has_no_mail_goes(client: Client) -> None:
    answer = client.post(reverse("account_reset_password"), {"email": "stranger@example.org"}, follow=True)
    assert answer.status_code == 200
    assert not mail.outbox


def test_a_time_in_a_mail_is_on_the_readers_clocks_and_names_the_zone() -> None:
    nora, will = make_user("nora"), make_user("will")
    User.objects.filter(pk=nora.pk).update(time_zone="Europe/Dublin")
    User.objects.filter(pk=will.pk).update(language="zh-hans")
    notify(
        users=[nora.pk, will.pk],
        key="1",
        message=gettext_noop("%(event)s starts at another time: %(starts_at)s."),
        url="/events/7/",
        params={"event": "Harbour Pairs", "starts_at": "2026-07-01T20:30:00+00:00"},
    )
    tick()
    to_nora, to_will = sorted(mail.outbox, key=lambda message: message.to)
    assert to_nora.subject == "Harbour Pairs starts at another time: 1 July 2026, 21:30 (Europe/Dublin)."
    assert "2026年7月2日 04:30 (Asia/Shanghai)" in to_will.subject


def test_who_changes_the_mind_before_the_mail_leaves_gets_none() -> None:
    nora, will = make_user("nora"), make_user("will")
    tell(nora, will)
    User.objects.filter(pk=nora.pk).update(mail=User.Mail.NONE)
    will.delete()
    assert tick() == Ticked(sent=2)
    assert not mail.outbox


def test_nobody_gets_the_same_mail_twice() -> None:
    nora, will = make_user("nora"), make_user("will")
    tell(nora)
    tell(nora, will)
    tick()
    tell(nora, will)
    assert not tick()
    assert sorted(addresses()) == ["nora@example.org", "will@example.org"]


def test_a_mail_goes_with_the_transaction_of_what_it_tells() -> None:
    nora = make_user("nora")
    with transaction.atomic():
        tell(nora)
        transaction.set_rollback(True)
    assert not Outgoing.objects.exists()
    tell(nora)
    assert Outgoing.objects.get().body == {"notice": Notice.objects.get().pk}  # ids, and no words


def test_thousands_are_told_in_one_statement_and_mailed_in_two_more(django_assert_num_queries: Any) -> None:
    people = User.objects.bulk_create(
        User(
            username=f"player{number}",
            email=f"player{number}@example.org" if number % 2 else "",
            password="!",
        )
        for number in range(4000)
    )
    confirm_addresses(people)
    words = {user.pk: {"event": f"Event {user.pk}"} for user in people}
    silent = {user.pk: words[user.pk] for user in people if not user.email}
    with transaction.atomic(), django_assert_num_queries(1):
        notify_each(words=silent, key="1", message=SENTENCE, url="/")
    with transaction.atomic(), django_assert_num_queries(3):  # the notices, the moment, the mails
        notify_each(words=words, key="2", message=SENTENCE, url="/")
    assert (Notice.objects.count(), Outgoing.objects.count()) == (6000, 2000)


def test_a_mail_is_in_the_readers_language_and_zone_with_links_that_work_anywhere(settings: Any) -> None:
    settings.SITE_URL = "https://bridge.example.org"
    english, chinese = make_user("nora"), make_user("will")
    english.time_zone = "Europe/Dublin"
    english.save()
    chinese.language = "zh-hans"
    chinese.save()
    tell(english, chinese)
    Notice.objects.update(created_at=datetime(2026, 7, 1, 20, 30, tzinfo=UTC))
    tick()
    to_nora, to_will = sorted(mail.outbox, key=lambda message: message.to)
    assert to_nora.subject == "Harbour Pairs does not take place."
    assert "https://bridge.example.org/events/7/" in to_nora.body
    assert "1 July 2026, 21:30 (Europe/Dublin)" in to_nora.body
    assert "2026年7月2日 04:30 (Asia/Shanghai)" in to_will.body
    assert not re.search(r"href|&\w+;", str(to_nora.body))
    notice = Notice.objects.get(user=english)
    assert to_nora.extra_headers["Message-ID"] == f"<notice-{notice.pk}@bridge.example.org>"


def test_a_title_cannot_write_lines_of_the_head_or_markup() -> None:
    nora = make_user("nora")
    tell(nora, event="Tom & <b>Ann</b>\nBcc: all@example.org\r\n" + "x" * 300)
    tick()
    (message,) = mail.outbox
    assert message.subject.startswith("Tom & <b>Ann</b> Bcc: all@example.org xxx")
    assert len(message.subject) <= 150
    assert message.recipients() == ["nora@example.org"]
    assert "Tom & <b>Ann</b>" in message.body


def stop_link() -> str:
    tick()
    message = mail.outbox[-1]
    link = re.search(r"http://127\.0\.0\.1:8000(/notices/mail/stop/\S+)", str(message.body))
    assert link
    assert message.extra_headers["List-Unsubscribe"] == f"<http://127.0.0.1:8000{link[1]}>"
    assert message.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    return link[1]


def test_one_press_in_a_mail_stops_the_mails_without_signing_in() -> None:
    nora = make_user("nora")
    tell(nora)
    stranger = Client(enforce_csrf_checks=True)
    link = stop_link()
    assert "nora" in stranger.get(link).text
    nora.refresh_from_db()
    assert nora.mail == User.Mail.AWAY  # who only looks, as programs do, changes nothing
    for _ in range(2):
        assert stranger.post(link, {"List-Unsubscribe": "One-Click"}).status_code == 200
        nora.refresh_from_db()
        assert nora.mail == User.Mail.NONE
    tell(nora, key="2")
    assert not tick()


def test_a_link_that_is_not_ours_stops_nothing(client: Client) -> None:
    nora = make_user("nora")
    tell(nora)
    link = stop_link()
    forged = [f"{nora.pk}:x", link.rsplit("/", 2)[1].replace(str(nora.pk), str(nora.pk + 1), 1)]
    forged.append(Signer(salt="something else").sign(str(nora.pk)))
    for token in forged:
        assert client.post(f"/notices/mail/stop/{token}/").status_code == 404
    nora.refresh_from_db()
    assert nora.mail == User.Mail.AWAY
    nora.delete()
    assert client.get(link).status_code == 404


def test_the_choice_stands_on_the_page_of_preferences(client: Client) -> None:
    nora = make_user("nora")
    client.force_login(nora)
    assert "nora@example.org" in client.get("/accounts/preferences/").text
    choice = {"player_name": "Nora", "suits": "four", "theme": "auto", "mail": "all"}
    client.post("/accounts/preferences/", choice)
    nora.refresh_from_db()
    assert nora.mail == User.Mail.ALL


@pytest.mark.parametrize(
    ("refusal", "again"),
    [
        ({"RCPT": "451 come back later"}, True),
        ({"DATA": "452 no room now"}, True),
        ({"EHLO": "421 closing", "HELO": "421 closing"}, True),
        ({"RCPT": "550 no such person"}, False),
    ],
)
def test_what_a_server_puts_off_is_tried_again_and_what_it_refuses_is_not(
    refusal: dict[str, str], again: bool, settings: Any
) -> None:
    settings.EMAIL_BACKEND, settings.EMAIL_HOST = SMTP, "127.0.0.1"
    tell(make_user("nora"))
    with mail_server(GOOD | refusal) as bad:
        settings.EMAIL_PORT = bad.port
        assert tick() == Ticked(failed=1)
        assert bad.taken == []
    move(timedelta(seconds=61))
    assert (unsent().count(), half_sent().count()) == ((1, 0) if again else (0, 1))
    with mail_server(GOOD) as good:
        settings.EMAIL_PORT = good.port
        assert tick() == Ticked(sent=int(again))
        assert not tick()
        assert len(good.taken) == int(again)


def test_a_server_that_is_away_gets_the_mail_when_it_is_back(settings: Any) -> None:
    settings.EMAIL_BACKEND, settings.EMAIL_HOST = SMTP, "127.0.0.1"
    tell(make_user("nora"))
    with mail_server(GOOD) as gone:
        settings.EMAIL_PORT = gone.port
    assert tick() == Ticked(failed=1)
    move(timedelta(seconds=61))
    with mail_server(GOOD) as back:
        settings.EMAIL_PORT = back.port
        assert tick() == Ticked(sent=1)
        assert "To: nora@example.org" in back.taken[0]


@pytest.mark.django_db(transaction=True)
def test_a_server_that_hangs_is_left_after_the_timeout_and_delays_no_transition(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.EMAIL_BACKEND, settings.EMAIL_HOST, settings.EMAIL_TIMEOUT = SMTP, "127.0.0.1", 2
    done: list[float] = []
    open_round = Transition(lambda *, subject, number: done.append(time.monotonic()), None)
    monkeypatch.setitem(transitions, "test.open", open_round)
    tell(make_user("nora"))
    with mail_server(None) as silent:
        settings.EMAIL_PORT = silent.port
        began = time.monotonic()

        def the_other_clock() -> Ticked:
            time.sleep(0.3)  # the first one has the mail in hand
            schedule(kind="test.open", subject=1, due_at=now())
            return tick()

        answers = at_once(tick, the_other_clock)
    assert answers == [Ticked(failed=1), Ticked(done=1)]
    assert done[0] - began < 1
    assert 2 <= time.monotonic() - began < 5
    assert unsent(seconds=0).count() == 1


def test_an_evening_brings_the_mails_that_each_wants() -> None:
    swiss = make_swiss(rounds=1)
    enter_pairs(swiss, 4)
    calm = User.objects.get(username="player1")
    calm.mail = User.Mail.IMPORTANT
    calm.save()
    start(swiss)
    play_round(swiss, random.Random(1))
    pass_time(minutes=21)
    subjects: dict[str, list[str]] = {}
    for message in mail.outbox:
        subjects.setdefault(message.to[0], []).append(re.sub(r"[\d:].*", "…", str(message.subject)))
    others = {tuple(theirs) for address, theirs in subjects.items() if address != calm.email}
    entered, ranked = "You are entered in Swiss evening as pair …", "Swiss evening is over…"
    seated, points = "Swiss evening, round …", "Master points for Swiss evening…"
    title = "Your master points make you a Graded Player."
    assert others == {(entered, seated, ranked), (entered, seated, ranked, points, title)}
    assert seated not in subjects[calm.email]
    assert ranked in subjects[calm.email]
    assert len(Outgoing.objects.filter(sent_at=None)) == 0


@pytest.mark.parametrize(
    ("url", "port", "starttls", "tls"),
    [
        ("smtp://mail.example.org", 25, False, False),
        ("smtp+tls://nora:p%40ss@mail.example.org", 587, True, False),
        ("smtps://nora:p%40ss@mail.example.org:4465", 4465, False, True),
    ],
)
def test_a_site_names_its_mail_server_in_one_address(
    url: str, port: int, starttls: bool, tls: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_KEY", "x")
    monkeypatch.setenv("ALLOWED_HOSTS", "bridge.example.org,www.example.org")
    monkeypatch.setenv("EMAIL_URL", url)
    monkeypatch.delenv("SITE_URL", raising=False)
    made = runpy.run_module("config.settings.production")
    assert (made["EMAIL_HOST"], made["EMAIL_PORT"]) == ("mail.example.org", port)
    assert (made["EMAIL_USE_TLS"], made["EMAIL_USE_SSL"]) == (starttls, tls)
    if "nora" in url:
        assert (made["EMAIL_HOST_USER"], made["EMAIL_HOST_PASSWORD"]) == ("nora", "p@ss")
    assert made["SITE_URL"] == "https://bridge.example.org"
