"""Questions about people."""

from allauth.account.models import EmailAddress
from django.core.signing import BadSignature, Signer
from django.db.models import F, Value

from apps.users.looks import look_of
from apps.users.models import Notice, Player, User, name_key

NOTICES_A_PAGE = 30
_mail_links = Signer(salt="notices by mail")


def notices_of(user: User, *, before: int | None = None) -> tuple[list[Notice], int | None]:
    """A page of a person's notices, the newest first, and before which one the next page begins. One query."""
    notices = Notice.objects.filter(user=user)
    if before is not None:
        notices = notices.filter(pk__lt=before)
    found = list(notices.order_by("-pk")[: NOTICES_A_PAGE + 1])
    page = found[:NOTICES_A_PAGE]
    return page, page[-1].pk if len(found) > len(page) else None


def count_unread(user: User) -> int:
    """How many notices a person has not read yet. One query along an index of unread notices alone."""
    return Notice.objects.filter(user=user, read_at=None).count()


def has_confirmed(user: User) -> bool:
    """Whether the address of the account was confirmed: whoever reads there has said that it is the own one. One query."""
    confirmed = EmailAddress.objects.filter(user=user, email=user.email.lower(), verified=True)
    return bool(user.email) and confirmed.exists()


def mail_token(user: User) -> str:
    """What tells, in the link at the foot of a mail, whose mails are to stop. It is signed and never expires."""
    return _mail_links.sign(str(user.pk))


def user_of_mail_token(token: str) -> User | None:
    """Whose mails the link is about; None when it is none of ours, or the account is gone."""
    try:
        return User.objects.filter(pk=_mail_links.unsign(token)).first()
    except BadSignature:
        return None


def looks_like_another(name: str, *, but: Player | None = None) -> bool:
    """Whether readers would take a name for that of another player, though it is spelled with other letters. One query.

    Namesakes are two people of one name: that is nobody's fault, and every form that asks for a name tells them apart.
    """
    alike = Player.objects.alias(look=look_of(F("name"))).filter(look=look_of(Value(name)))
    others = alike.exclude(pk=but.pk) if but else alike
    return others.exclude(name_key=name_key(name)).exists()
