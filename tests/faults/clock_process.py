"""`manage.py clock` as a process of its own, with transitions that only the tests know."""

import os
import sys
import time

import django
from django.core.management import call_command


def main() -> None:
    django.setup()
    from apps.clock.models import AuditEntry
    from apps.clock.services import bounded, record
    from apps.clock.transitions import transition

    bounded.IDLE = int(os.environ.get("IDLE", bounded.IDLE))

    @transition("test.bell")
    def ring(*, subject: int, number: int) -> None:
        """Takes so many milliseconds."""
        record(actor=None, action="rung", subject_kind="bell", subject_id=subject)
        time.sleep(number / 1000)

    @transition("test.hold")
    def hold(*, subject: int, number: int) -> None:
        """Keeps a row for so many milliseconds."""
        AuditEntry.objects.select_for_update().get(action="a row")
        ring(subject=subject, number=number)

    call_command("clock", *sys.argv[1:])


if __name__ == "__main__":
    main()
