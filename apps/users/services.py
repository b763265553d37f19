"""Changes to people."""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from json import dumps
from smtplib import SMTPException, SMTPRecipientsRefused, SMTPResponseException
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.db import connection, transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.text import Truncator

from apps.clock.services import record, send_all
from apps.clock.transitions import NotSent
from apps.users.looks import look
from apps.users.models import Notice, Player, PlayerNumber, User, Word, name_key
from apps.users.selectors import has_confirmed, mail_token
from apps.users.signals import account_closed

MAIL = "users.mail"
FRESH = timedelta(minutes=1)  # a sign of life is not written down more often than that
AWAY = timedelta(minutes=10)  # without a sign of life, and a person is away

FORGOTTEN = timedelta(days=30)  # without a sign of life, and a guest is forgotten
ROBOTS = {"N": "Ada", "E": "Blaise", "S": "Emmy", "W": "Kurt"}

_FINDING_PLAYERS = 0x506C6179  # the advisory lock of `find_or_create_players`
_NAMING = 0x4E616D65  # and of `hold_look`, with the look


def hold_look(name: str) -> None:
    """Whoever takes a name that looks like this one waits until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", [_NAMING, look(name)])


@transaction.atomic
def create_player_for(*, user: User, name: str, country: str = "") -> Player:
    """The player of this account; a second call returns the one there is."""
    player, _ = Player.objects.get_or_create(user=user, defaults={"name": name, "country": country})
    return player


def robots() -> dict[str, Player]:
    """The house robots, by the letter of the seat on which each one sits: they are made when they are first needed."""
    there = {player.name: player for player in Player.objects.filter(is_robot=True)}
    return {
        seat: there.get(name) or Player.objects.get_or_create(name=name, is_robot=True)[0]
        for seat, name in ROBOTS.items()
    }


@transaction.atomic
def welcome_guest(*, language: str, time_zone: str) -> User:
    """An account for somebody who plays without having signed up: no password and no mail, only the session knows it."""
    number = secrets.randbelow(9000) + 1000
    user = User(username=f"guest-{uuid4().hex}", is_guest=True, language=language, time_zone=time_zone)
    user.mail = User.Mail.NONE
    user.set_unusable_password()
    user.save()
    create_player_for(user=user, name=f"Guest {number}")
    return user


@transaction.atomic
def forget_guests() -> int:
    """Close the accounts of guests who have not come for a month; returns how many. Their players stay where they sat."""
    gone = User.objects.filter(is_guest=True, is_active=True).filter(
        Q(seen_at__lt=Now() - FORGOTTEN) | Q(seen_at=None, date_joined__lt=Now() - FORGOTTEN)
    )
    forgotten = list(gone.select_for_update(skip_locked=True))
    for user in forgotten:
        close_account(user=user, by=None)
    return len(forgotten)


@transaction.atomic
def open_account(*, user: User, player_name: str, country: str, time_zone: str, language: str) -> None:
    """What a new account begins with: its player, and the zone and the language in which its owner reads."""
    user.time_zone, user.language = time_zone, language
    user.save(update_fields=["time_zone", "language"])
    create_player_for(user=user, name=player_name, country=country)


@transaction.atomic
def keep_guest(*, guest: User, user: User, player_name: str, country: str) -> None:
    """Somebody who has played as a guest has signed up: the player is the new account's, with a name of its own.

    Of two who sign up at once with one guest, the second one begins afresh.
    """
    held = User.objects.select_for_update(no_key=True).get(pk=guest.pk)
    player = Player.objects.filter(user=held, user__is_guest=True, user__is_active=True).first()
    if player:
        player.user, player.name, player.country = user, player_name, country
        player.save(update_fields=["user", "name", "country"])
        User.objects.filter(pk=guest.pk).update(is_active=False)


@transaction.atomic
def close_account(*, user: User, by: User | None) -> None:
    """Nobody signs in to this account any more, and it leaves every table at once. Again, it changes nothing."""
    if User.objects.filter(pk=user.pk, is_active=True).update(is_active=False):
        user.is_active = False
        record(actor=by, action="users.closed", subject_kind="users.user", subject_id=user.pk)
        account_closed.send(sender=User, user=user, by=by)


def choose_language(*, user: User, language: str) -> None:
    """The language of all that this person is told from now on."""
    user.language = language
    user.save(update_fields=["language"])


@transaction.atomic
def save_preferences(
    *,
    user: User,
    player_name: str,
    country: str,
    language: str,
    time_zone: str,
    suits: str,
    theme: str,
    mail: str,
) -> None:
    """What the person chose, in place of what was chosen before; results keep the player and show the new name."""
    user.language, user.time_zone, user.suits, user.theme = language, time_zone, suits, theme
    user.mail = mail
    user.save(update_fields=["language", "time_zone", "suits", "theme", "mail"])
    player = create_player_for(user=user, name=player_name, country=country)
    if (player.name, player.country) != (player_name, country):
        player.name, player.country = player_name, country
        player.save(update_fields=["name", "country"])


@transaction.atomic
def keep_table_settings(*, user: User, chosen: Mapping[str, bool]) -> None:
    """What the person likes at the table, on any device; what is not named stays as it was."""
    held = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    held.table_settings = {**held.table_settings, **chosen}
    held.save(update_fields=["table_settings"])


def be_seen(*, user: User) -> bool:
    """There is a sign of life of this person: whoever is at the site needs no mail about what happens there.

    Returns:
        Whether it was written down: once a minute.
    """
    if user.heard_at is None or abs(timezone.now() - user.heard_at) > FRESH:
        User.objects.filter(pk=user.pk).update(seen_at=Now())
        return True
    return False


@dataclass(frozen=True, slots=True)
class PlayerFacts:
    """A player as a file names one.

    Attributes:
        name: As it is written there.
        numbers: Scheme and number, the most telling first.
    """

    name: str
    numbers: tuple[tuple[str, str], ...] = ()


@transaction.atomic
def find_or_create_players(
    *, people: Sequence[PlayerFacts], namesakes: Mapping[str, Sequence[Player]]
) -> list[Player]:
    """The players of one event, in the order given; those whom nobody knows are made.

    A number finds its player however the name is spelled, and the name first given stays. A name alone finds nobody but
    the `namesakes`: players without a number, by name key, who are known to be meant. A number that stands with two
    different names says nothing about either. Repeating the call finds the players that the first call made.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_FINDING_PLAYERS])
    ambiguous = ambiguous_numbers(people)
    numbers = [[number for number in facts.numbers if number not in ambiguous] for facts in people]
    known = _players_by_number({number for own in numbers for number in own})
    holds = _schemes_of(known.values())
    unused = {key: list(players) for key, players in namesakes.items()}
    found: list[Player] = []
    for facts, own in zip(people, numbers, strict=True):
        player = _by_number(own, known, holds)
        if player is None and not own and unused.get(name_key(facts.name)):
            player = unused[name_key(facts.name)].pop(0)
        if player is None:
            player = Player.objects.create(name=" ".join(facts.name.split())[:100])
        found.append(player)
        for number in own:
            if number not in known and number[0] not in holds.setdefault(player.pk, set()):
                known[number] = player
                holds[player.pk].add(number[0])
                PlayerNumber.objects.create(player=player, scheme=number[0], number=number[1])
    return found


def ambiguous_numbers(people: Sequence[PlayerFacts]) -> dict[tuple[str, str], list[str]]:
    """The numbers that stand with people of different names, with those names."""
    names: dict[tuple[str, str], list[str]] = {}
    for facts in people:
        for number in facts.numbers:
            names.setdefault(number, []).append(facts.name)
    return {number: shared for number, shared in names.items() if len(set(map(name_key, shared))) > 1}


def _players_by_number(numbers: set[tuple[str, str]]) -> dict[tuple[str, str], Player]:
    rows = PlayerNumber.objects.filter(
        scheme__in={scheme for scheme, _ in numbers}, number__in={number for _, number in numbers}
    ).select_related("player")
    return {(row.scheme, row.number): row.player for row in rows if (row.scheme, row.number) in numbers}


def _schemes_of(players: Iterable[Player]) -> dict[int, set[str]]:
    schemes: dict[int, set[str]] = {player.pk: set() for player in players}
    for player, scheme in PlayerNumber.objects.filter(player__in=schemes).values_list("player", "scheme"):
        schemes[player].add(scheme)
    return schemes


def _by_number(
    own: Sequence[tuple[str, str]], known: Mapping[tuple[str, str], Player], holds: Mapping[int, set[str]]
) -> Player | None:
    """Whom the numbers name. One of a kind that tells less counts only for a player without a number that tells more."""
    telling_more: set[str] = set()
    for number in own:
        player = known.get(number)
        if player and not telling_more & holds[player.pk]:
            return player
        telling_more.add(number[0])
    return None


def notify(
    *,
    users: Iterable[int],
    key: str,
    message: str,
    url: str,
    params: Mapping[str, Word] | None = None,
    important: bool = True,
    repeats: bool = False,
) -> None:
    """Tell people something, once: a second call with the same key reaches only those who were not told.

    Args:
        users: Accounts by id.
        key: What is told, such as `result corrected 7`.
        message: An English sentence, marked for translation, with named places (`%(board)s`).
        url: The page that it is about.
        params: What fills the places.
        important: Whether it goes by mail to all who want mails. What is not goes to those who are away just now, and
            to those who asked for all.
        repeats: Whether more of the kind may follow soon: those who are away get a mail of the first, and no other
            before they have been at the site again, or that one is settled.
    """
    words = dict.fromkeys(users, params or {})
    notify_each(words=words, key=key, message=message, url=url, important=important, repeats=repeats)


@transaction.atomic(savepoint=False)
def notify_each(
    *,
    words: Mapping[int, Mapping[str, Word]],
    key: str,
    message: str,
    url: str,
    important: bool = True,
    repeats: bool = False,
) -> None:
    """As `notify`, with words of their own for each account.

    One statement, however many there are, and two more when mails go out: those wait in the outbox for the clock.
    """
    told = list(words)
    notify_found(
        told="SELECT account, %s, %s, words FROM unnest(%s::bigint[], %s::jsonb[]) AS told(account, words)",
        values=[key, message, told, [dumps(words[user]) for user in told]],
        url=url,
        important=important,
        repeats=repeats,
    )


@transaction.atomic(savepoint=False)
def notify_found(
    *, told: str, values: Sequence[Any], url: str, important: bool = True, repeats: bool = False
) -> None:
    """As `notify_each`, for those whom a query finds, each under a key and with a message of their own.

    Args:
        told: The query, in SQL, for account, key, message and words of each.
        values: What fills its places.
        url: The page that it is about.
        important: As in `notify`.
        repeats: As in `notify`.
    """
    wanted = [User.Mail.ALL, User.Mail.AWAY, User.Mail.IMPORTANT] if important else [User.Mail.ALL]
    places: list[Any] = [*values, url, wanted, User.Mail.AWAY, AWAY, repeats]
    with connection.cursor() as cursor:
        cursor.execute(
            f"""WITH told (account, key, message, words) AS ({told}), notice AS (
                  INSERT INTO users_notice (user_id, key, message, params, url, created_at)
                  SELECT account, key, message, words, %s, clock_timestamp() FROM told ORDER BY account
                  ON CONFLICT (user_id, key) DO NOTHING RETURNING id, user_id, message
                ), reader AS (
                  SELECT id, mail, coalesce(greatest(seen_at, last_login), '-infinity') AS heard_at
                  FROM users_user WHERE is_active AND EXISTS (
                    SELECT FROM account_emailaddress confirmed
                    WHERE confirmed.user_id = users_user.id AND confirmed.email = lower(users_user.email)
                      AND confirmed.verified
                  )
                )
                SELECT notice.id FROM notice JOIN reader ON reader.id = notice.user_id
                WHERE reader.mail = ANY(%s)
                   OR reader.mail = %s AND reader.heard_at < clock_timestamp() - %s
                      AND NOT (%s AND EXISTS (
                        SELECT FROM users_notice earlier
                        WHERE earlier.user_id = notice.user_id AND earlier.message = notice.message
                          AND earlier.read_at IS NULL AND earlier.created_at > reader.heard_at
                      ))
                ORDER BY notice.id""",  # noqa: S608 - our own query
            places,
        )
        mails = {f"notice {notice}": {"notice": notice} for (notice,) in cursor.fetchall()}
    if mails:
        send_all(kind=MAIL, bodies=mails)


def mail_notice(*, notice_id: int) -> bool:
    """Send a notice to its reader by mail, in the reader's language and zone; returns whether it left.

    None leaves when the reader or the address is gone or the address is not confirmed, when the reader wants no mail any
    more, or when the notice has been read or settled while the mail waited.

    Raises:
        NotSent: The mail server does not answer, or asks to be tried later; nothing has left.
    """
    waiting = Notice.objects.select_related("user").filter(pk=notice_id, read_at=None, user__is_active=True)
    notice = waiting.first()
    if notice is None or notice.user.mail == User.Mail.NONE or not has_confirmed(notice.user):
        return False
    server = get_connection()
    try:
        server.open()
    except (OSError, SMTPException) as error:
        raise NotSent(str(error)) from error
    try:
        message = _as_mail(notice)
        message.connection = server
        message.send()
    except SMTPException as error:
        if _is_for_later(error):
            raise NotSent(str(error)) from error
        raise
    finally:
        server.close()
    return True


def _as_mail(notice: Notice) -> EmailMessage:
    user, site = notice.user, settings.SITE_URL
    stop = site + reverse("users:stop_mail", args=[mail_token(user)])
    with translation.override(user.reads_in or settings.LANGUAGE_CODE), timezone.override(user.zone):
        sentence = " ".join(str(notice).split())
        words = {
            "sentence": sentence,
            "page": site + notice.url,
            "told_at": notice.created_at,
            "zone": timezone.get_current_timezone_name(),
            "account": user,
            "preferences": site + reverse("users:preferences"),
            "stop": stop,
        }
        return EmailMessage(
            subject=Truncator(sentence).chars(150),
            body=render_to_string("users/notice_mail.txt", words),
            to=[user.email],
            headers={
                "Message-ID": f"<notice-{notice.pk}@{urlsplit(site).hostname}>",
                "List-Unsubscribe": f"<{stop}>",
                "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
                "Auto-Submitted": "auto-generated",
            },
        )


def _is_for_later(error: SMTPException) -> bool:
    """Whether the server has not taken the mail, and would at another time: it answered with 4xx."""
    match error:
        case SMTPRecipientsRefused(recipients=refused):
            codes = [code for code, _text in refused.values()]
        case SMTPResponseException(smtp_code=code):
            codes = [code]
        case _:
            codes = []
    return bool(codes) and all(400 <= code < 500 for code in codes)


def stop_mail(*, user: User) -> None:
    """No notices by mail any more; a second time changes nothing."""
    user.mail = User.Mail.NONE
    user.save(update_fields=["mail"])


@transaction.atomic(savepoint=False)
def mark_settled(*, matters: Iterable[str], users: "QuerySet[User, Any]") -> int:
    """Mark as read what these people were told of matters that are settled now; returns how many notices.

    Args:
        matters: Keys of notices, or the words that those begin with.
        users: Accounts by id.
    """
    named = Q()
    for matter in matters:
        named |= Q(key=matter) | Q(key__startswith=f"{matter} ")
    unread = Notice.objects.filter(named, user__in=users, read_at=None)
    free = unread.select_for_update(skip_locked=True)  # who is just reading one is not waited for
    return Notice.objects.filter(pk__in=free.values("pk")).update(read_at=timezone.now())


@transaction.atomic(savepoint=False)
def mark_unread(*, key: str, users: Iterable[int]) -> None:
    """What is told under this key waits for these people again, as it was not over; no further mail goes out."""
    read = Notice.objects.filter(key=key, user__in=list(users)).exclude(read_at=None)
    free = read.select_for_update(skip_locked=True)
    Notice.objects.filter(pk__in=free.values("pk")).update(read_at=None)


def mark_read(*, user: User, notice_id: int | None = None) -> None:
    """Mark one notice of this person as read, or all of them; those that were read before keep their moment."""
    unread = Notice.objects.filter(user=user, read_at=None)
    if notice_id is not None:
        unread = unread.filter(pk=notice_id)
    unread.update(read_at=timezone.now())
