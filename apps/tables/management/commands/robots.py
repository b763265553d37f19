import gc
import logging
import signal
import threading
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import DatabaseError, InterfaceError, close_old_connections, connection

from apps.tables.robots import act_for_robots
from apps.tables.thinking import Thinkers
from bridge.robot import Strength

PAUSE = 0.25  # seconds between two looks, at the most, while somebody may act
PATIENCE = 1.0  # seconds between two looks at a database that is away

log = logging.getLogger(__name__)


class Command(BaseCommand):
    help = "Plays for the house robots, until a signal comes. Any number of them may run at once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--processes", type=int, default=1, help="how many think side by side (default: 1)"
        )

    def handle(self, *, processes: int, **_: Any) -> None:
        stop = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        thinkers = Thinkers(processes, Strength(settings.ROBOT_SAMPLES, settings.ROBOT_SECONDS))
        gc.freeze()
        log.info("the robots are there")
        try:
            run(stop, thinkers)
        finally:
            thinkers.end()
        log.info("the robots were stopped")


def run(stop: threading.Event, thinkers: Thinkers) -> None:
    """Look and act until told to stop. Nothing that goes wrong ends it."""
    away = False
    while not stop.is_set():
        try:
            close_old_connections()
            _, wait = act_for_robots(thinkers)
        except (DatabaseError, InterfaceError) as error:
            if not away:
                log.warning("the database does not do what is asked: %s", str(error).partition("\n")[0])
            away = True
            connection.close()
            stop.wait(PATIENCE)
            continue
        except Exception:
            log.exception("the robots stumbled")
            stop.wait(PATIENCE)
            continue
        if away:
            log.info("the database is back")
            away = False
        stop.wait(min(wait, PAUSE))
