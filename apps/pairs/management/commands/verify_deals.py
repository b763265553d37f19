"""`manage.py verify_deals EVENT`: were the boards dealt from the seed that was promised?"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apps.boards.selectors import deal_faults
from apps.pairs.models import Swiss
from bridge.dealing import DealingError


class Command(BaseCommand):
    help = "Deal every board of an event once more from its seed; exit status 1 when one differs."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("event", type=int)

    def handle(self, **options: Any) -> None:
        swiss = Swiss.objects.select_related("seal").filter(pk=options["event"]).first()
        if swiss is None or swiss.seal is None:
            raise CommandError(f"There is no event {options['event']} with sealed deals.")
        try:
            faults = deal_faults(swiss.seal)
        except DealingError as error:
            raise CommandError(str(error)) from None
        for fault in faults:
            self.stdout.write(fault)
        if faults:
            raise CommandError(f"{len(faults)} faults.")
        boards = sum(len(each.boards.all()) for each in swiss.seal.board_sets.prefetch_related("boards"))
        self.stdout.write(
            f"{boards} boards, every card as the seed gives it. Commitment: {swiss.seal.commitment}"
        )
