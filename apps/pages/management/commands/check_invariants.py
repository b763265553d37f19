"""`manage.py check_invariants`: does the database hold what it must?"""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apps.pages.invariants import PROMISES, broken


class Command(BaseCommand):
    help = "Ask the database for everything that must hold; exit status 1 when something does not."

    def handle(self, **_options: Any) -> None:
        found = broken()
        for each in found:
            self.stdout.write(f"Not so: {each.promise}")
            for place in each.places:
                self.stdout.write(f"    {place}")
        if found:
            raise CommandError(f"{len(found)} of {len(PROMISES)} promises are broken.")
        self.stdout.write(f"All {len(PROMISES)} promises hold.")
