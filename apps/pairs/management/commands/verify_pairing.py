"""`manage.py verify_pairing EVENT ROUND`: was the round paired as the rules say?"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext

from apps.pairs.models import Round
from apps.pairs.selectors.pairing import check_pairing


class Command(BaseCommand):
    help = "Check the certificate of a round without the code that paired it; exit status 1 when something is wrong."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("event", type=int)
        parser.add_argument("round", type=int)

    def handle(self, **options: Any) -> None:
        try:
            each = Round.objects.get(swiss=options["event"], number=options["round"])
            check = check_pairing(each)
        except (Round.DoesNotExist, ValueError):
            raise CommandError(
                f"Event {options['event']} has no round {options['round']} that was seated."
            ) from None
        for fault in check.faults:
            self.stdout.write(gettext(fault.message) % fault.params)
        for note in check.notes:
            self.stdout.write(gettext(note.message) % note.params)
        if check.faults:
            raise CommandError(f"Round {each.number}: {len(check.faults)} faults.")
        tables = each.seats.exclude(table=None).values("table").distinct().count()
        self.stdout.write(f"Round {each.number}: {tables} tables, nothing wrong.")
