from typing import Any

from django.dispatch import receiver

from apps.tables.services import closing
from apps.users.models import User
from apps.users.signals import account_closed


@receiver(account_closed)
def leave_casual_tables(user: User, **_: Any) -> None:
    closing.dismiss(user_id=user.pk)
