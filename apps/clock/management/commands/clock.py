import gc
import logging
import signal
import threading
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.db import DatabaseError, InterfaceError, close_old_connections, connection

from apps.clock.services import Ticked, tick

PAUSE = 0.5  # seconds between two looks when nothing is due
PATIENCE = 1.0  # seconds between two looks at a database that is away

log = logging.getLogger(__name__)


class Command(BaseCommand):
    help = (
        "Keeps the time: makes what is due happen, until a signal comes. Any number of them may run at once."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="do all that is due now, then end")

    def handle(self, *, once: bool, **_: Any) -> None:
        if once:
            return report(tick())
        stop = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        gc.freeze()  # looking through all that was loaded for garbage would stop it for a tenth of a second at times
        log.info("the clock is going")
        run(stop)
        log.info("the clock was stopped")


def run(stop: threading.Event) -> None:
    """Tick until told to stop, which is between two pieces of work. Nothing that goes wrong ends it."""
    total, away = Ticked(), False
    while not stop.is_set():
        try:
            close_old_connections()
            ticked = tick(limit=1)
        except (DatabaseError, InterfaceError) as error:
            if not away:
                log.warning("the database does not do what is asked: %s", str(error).partition("\n")[0])
            away = True
            connection.close()
            stop.wait(PATIENCE)
            continue
        except Exception:
            log.exception("the clock stumbled")
            stop.wait(PATIENCE)
            continue
        if away:
            log.info("the database is back")
            away = False
        total += ticked
        if not ticked:
            report(total)
            total = Ticked()
            stop.wait(PAUSE)
    report(total)


def report(ticked: Ticked) -> None:
    if ticked:
        log.info("%d done, %d failed, %d sent", ticked.done, ticked.failed, ticked.sent)
