"""`manage.py migrate`: as Django's, but it never holds up an evening that is being played."""

from typing import Any

from django.core.management import CommandError
from django.core.management.commands import migrate
from django.db import OperationalError, connections
from psycopg.errors import LockNotAvailable

PATIENCE = "2s"  # whoever wants a table after a migration that waits for it waits too; clocks give up after three seconds


class Command(migrate.Command):
    help = f"{migrate.Command.help} Gives up when a table is in use for longer than {PATIENCE}; then run it again."

    def handle(self, *args: Any, **options: Any) -> None:
        connection = connections[options["database"]]
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('lock_timeout', %s, false)", [PATIENCE])
        try:
            super().handle(*args, **options)
        except OperationalError as error:
            if isinstance(error.__cause__, LockNotAvailable):
                raise CommandError(
                    f"A table is in use, and did not become free within {PATIENCE}. The migration that needs it was "
                    "given up and has changed nothing; those before it are done. Run the command again, best when no "
                    "round is being played."
                ) from error
            raise
        finally:
            if connection.is_usable():
                with connection.cursor() as cursor:
                    cursor.execute("RESET lock_timeout")
