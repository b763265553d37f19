"""Translations: extract the sentences of the source, compile the catalogue, or say what is missing."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from devstack import translations


class Command(BaseCommand):
    help = "Bring the catalogue of translations up to date (without GNU gettext)."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        choice = parser.add_mutually_exclusive_group()
        choice.add_argument(
            "--compile", action="store_true", help="only compile what is older than its source"
        )
        choice.add_argument(
            "--check", action="store_true", help="change nothing; fail when something is missing"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["check"]:
            if faults := translations.faults():
                raise CommandError("\n".join(faults))
        elif options["compile"]:
            translations.compile_catalogues()
        else:
            changed = translations.update()
            self.stdout.write("The catalogue changed." if changed else "The catalogue is current.")
            translations.compile_catalogues()
