"""`manage.py simulate_event`: a field of simulated pairs plays an event that runs itself."""

import argparse
import json
import logging
import os
import time
from collections.abc import Callable
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.pages.demo.cast import Cast
from apps.pages.demo.digest import digest_of, fingerprint
from apps.pages.demo.evening import keep_one_going
from apps.pages.demo.load import is_loaded
from apps.pages.demo.simulation import Ended, Simulation, set_up
from apps.pages.demo.timekeeping import full_minute, lateness, patiently
from apps.pairs.models import Swiss
from apps.pairs.services.registration import Refused
from apps.pairs.services.setup import BOUNDS, Plan
from bridge.comparison import Method

AHEAD = 30  # minutes to the planned start; the director has it begin when everybody is there


def within(least: float, most: float, kind: type[int] | type[float] = int) -> Callable[[str], float]:
    """Reads a number from `least` to `most`."""

    def read(text: str) -> float:
        try:
            number = kind(text)
        except ValueError:
            number = float("nan")
        if not least <= number <= most:
            raise argparse.ArgumentTypeError(f"choose a number from {least} to {most}, not {text[:20]}")
        return number

    return read


class Command(BaseCommand):
    help = (
        "Have a field of simulated pairs enter an event that runs itself, and play it as people do. Nobody gets master"
        " points for it, but on a site that shows the demo, whose ranking is made up anyway, or with --award."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--pairs", type=within(*BOUNDS["min_pairs"]), default=40)
        parser.add_argument("--rounds", type=within(*BOUNDS["rounds"]), default=6)
        for name, number, said in (
            ("boards", 3, "a round"),
            ("minutes", 3, "a round"),
            ("pause", 1, "minutes between rounds"),
        ):
            parser.add_argument(
                f"--{name}", type=within(*BOUNDS[name]), default=number, help=f"{said} (default: {number})"
            )
        parser.add_argument(
            "--method", type=str.upper, choices=[each.value for each in Method], default="BUTLER"
        )
        parser.add_argument("--by-vps", action="store_true", help="victory points by round")
        parser.add_argument(
            "--seed", type=within(0, 10**9), default=1, help="decides who does what (default: 1)"
        )
        parser.add_argument(
            "--speed",
            type=within(0.01, 10_000, float),
            default=1,
            help="how much faster than time the field plays; the director ends a round when all are done",
        )
        parser.add_argument(
            "--calm", action="store_true", help="nobody is late, disputes, corrects or leaves"
        )
        parser.add_argument(
            "--by-cards",
            action="store_true",
            help="results that fit the cards dealt; two runs of one seed differ then, as the cards do",
        )
        parser.add_argument(
            "--tables", action="store_true", help="they call and play every card, at tables of this site"
        )
        parser.add_argument(
            "--award",
            action="store_true",
            help="master points count: they go to the ledger and the ranking of this site, for ever",
        )
        parser.add_argument("--wait", action="store_true", help="until the ranking stands")
        parser.add_argument("--json", action="store_true", help="end with one line of JSON")
        parser.add_argument(
            "--resume", type=int, metavar="EVENT", help="take up a simulation that was stopped"
        )
        parser.add_argument(
            "--forever", action="store_true", help="the demo: keep an event going, one after the other"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if settings.SETTINGS_MODULE == "config.settings.production":
            raise CommandError("Simulated pairs do not play on a site that is in earnest.")
        logging.getLogger("apps.pages.demo").setLevel(logging.WARNING)
        if options["forever"]:
            os.nice(10)
            keep_one_going()
            return
        began = time.monotonic()
        try:
            event_id = options["resume"] or self._set_up(options)
            Simulation(event_id).run(until_ranked=options["wait"])
        except (Ended, Refused, ValueError) as error:
            raise CommandError(str(error)) from error
        except Swiss.DoesNotExist as error:
            raise CommandError("There is no such event.") from error
        report = patiently(self._report, event_id) | {"seconds": round(time.monotonic() - began, 1)}
        if options["json"]:
            self.stdout.write(json.dumps(report))
        else:
            points = "" if report["awards"] else " Nobody gets master points for it: see --award."
            self.stdout.write(f"Event {event_id} after {report['seconds']} s.{points}")

    def _set_up(self, options: dict[str, Any]) -> int:
        cast = Cast(
            **{name: options[name] for name in ("seed", "pairs", "speed", "calm", "by_cards")},
            run=uuid4().hex[:8],
        )
        plan = Plan(
            title=f"模拟双人赛 Simulated pairs {cast.seed}",
            zone="UTC",
            local_start=full_minute(AHEAD),
            **{name: options[name] for name in ("rounds", "boards", "minutes", "pause", "by_vps")},
            method=Method(options["method"]),
            play=Swiss.Play.TABLES if options["tables"] else Swiss.Play.ENTERED,
            presence_minutes=2 * AHEAD,
            grace=0,
            late_until=min(3, options["rounds"]),
            min_pairs=2,
            hold=1,
            awards_masterpoints=options["award"] or is_loaded(),
        )
        event_id: int = patiently(set_up, plan, cast)
        return event_id

    def _report(self, event_id: int) -> dict[str, Any]:
        swiss = Swiss.objects.get(pk=event_id)
        late = lateness(event_id)
        digest = digest_of(event_id)
        return {
            "event": event_id,
            "state": swiss.state,
            "awards": swiss.event.awards_masterpoints,
            "rounds": swiss.current_round,
            "pairs": len(digest["standings"]),
            "results": len(digest["results"]),
            "transitions": len(late),
            "transitions_late_p99": round(late[(99 * len(late) - 1) // 100], 3) if late else None,
            "transitions_late_max": round(late[-1], 3) if late else None,
            "digest": fingerprint(digest),
        }
