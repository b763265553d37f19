"""What leaves the house for people."""

from typing import Any

from apps.clock.transitions import delivery
from apps.users.services import MAIL, mail_notice


@delivery(MAIL, at_most_once=True)
def mail(body: dict[str, Any]) -> None:
    mail_notice(notice_id=body["notice"])
