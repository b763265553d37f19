"""Load the demo: a made-up season, and three accounts to look at it with."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from apps.pages.demo.load import load_season
from apps.pairs.models import Event


class Command(BaseCommand):
    help = "Load a made-up season into an empty database."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--without-logins",
            action="store_true",
            help="make no accounts: their passwords are known to everybody",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if Event.objects.exists():
            self.stdout.write(
                "There are events already; the demo is for an empty database. Nothing was changed."
            )
            return
        logins = not options["without_logins"]
        if logins and settings.SETTINGS_MODULE == "config.settings.production":
            raise CommandError(
                "The demo's passwords are known to everybody: here it loads --without-logins only."
            )
        season = load_season(today=timezone.localdate(), logins=logins)
        results = sum(len(event.tables) for event in season.events)
        self.stdout.write(f"{len(season.events)} events, {len(season.players)} players, {results} results.")
