"""Questions about people."""

from django.core.signing import BadSignature, Signer

from apps.users.models import Notice, User

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


def mail_token(user: User) -> str:
    """What tells, in the link at the foot of a mail, whose mails are to stop. It is signed and never expires."""
    return _mail_links.sign(str(user.pk))


def user_of_mail_token(token: str) -> User | None:
    """Whose mails the link is about; None when it is none of ours, or the account is gone."""
    try:
        return User.objects.filter(pk=_mail_links.unsign(token)).first()
    except BadSignature:
        return None
