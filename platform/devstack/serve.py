"""Datum on this machine, all of it: `deploy/run`.

Servers first, for Django's settings read their addresses when they are loaded; then the database, the static files
and the demo; then web, workers and the timetable, under one supervisor, until a signal comes.
"""

import argparse
import fcntl
import os
import re
import signal
import socket
import sys
import tempfile
import time
import urllib.error
import urllib.request
from typing import IO

from devstack.embedded import ServerError
from devstack.servers import start_servers
from devstack.state import State, state_folder
from devstack.supervisor import Fallen, Program, Supervisor

PORTS_TRIED = 50
AS_ROOT = "ignore:You're running the worker"  # with tasks as JSON, root is no special danger
CELERY = (sys.executable, "-W", AS_ROOT, "-m", "celery", "--quiet", "-A", "config")
WORKER = ("worker", "--loglevel=warning", "--without-gossip", "--without-mingle", "--without-heartbeat")


def main() -> int:
    parser = argparse.ArgumentParser(prog="deploy/run", description="Datum on this machine.")
    parser.add_argument("--port", type=int, default=8000, help="the first port to try (default: 8000)")
    parser.add_argument(
        "--check", action="store_true", help="start, ask three pages, stop; exit status 0 when all answered"
    )
    parser.add_argument(
        "--no-demo-event", action="store_true", help="keep no simulated event going beside the demo season"
    )
    options = parser.parse_args()

    for stop in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(stop, _stop_once)
    state = State(state_folder())
    if not state.take():
        holder = state.holder()
        what = f"at {holder['site']} " if holder.get("site") else ""
        return _say(
            f"Datum is already running {what}(pid {holder.get('pid')}). DATUM_STATE names another state folder."
        )
    supervisor = Supervisor()
    try:
        return serve(state, supervisor, options.port, check=options.check, play=not options.no_demo_event)
    except KeyboardInterrupt:
        return 0
    except (ServerError, Fallen) as error:
        return _say(str(error))
    finally:
        _stop_quietly(supervisor)


def _stop_once(_number: int, _frame: object) -> None:
    """The first signal ends what is under way; those that follow must not disturb the stopping."""
    _ignore_signals()
    raise KeyboardInterrupt


def _ignore_signals() -> None:
    for stop in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(stop, lambda *_: None)


def _stop_quietly(supervisor: Supervisor) -> None:
    _ignore_signals()
    print("Stopping.", flush=True)
    supervisor.stop()


def _say(sentence: str) -> int:
    print(sentence, file=sys.stderr, flush=True)
    return 1


def serve(state: State, supervisor: Supervisor, first_port: int, *, check: bool, play: bool) -> int:
    began = time.monotonic()
    start_servers(supervisor, state.folder)
    prepare(supervisor)
    port, _claim = take_port(first_port)
    live_port, _live_claim = take_port(port + 1)
    if (
        "SITE_URL" not in os.environ
    ):  # else a proxy stands before it, and whoever set it up says where sockets are
        os.environ["SITE_URL"] = f"http://127.0.0.1:{port}"
        os.environ.setdefault("LIVE_URL", f"ws://127.0.0.1:{live_port}")
    web = supervisor.start("web", [sys.executable, "-m", "devstack.web", str(port)])
    supervisor.start("live", [sys.executable, "-m", "devstack.live", str(live_port)])
    # Scoring waits for the database: threads. The solver is native code that must not take anything with it when it
    # falls or hangs: a process of its own, which Celery's time limits can end.
    for name, queue, pool, size in (("worker", "datum", "threads", 2), ("solver", "solver", "prefork", 1)):
        options = (f"--queues={queue}", f"--pool={pool}", f"--concurrency={size}", f"--hostname={name}@%h")
        supervisor.start(name, [*CELERY, *WORKER, *options])
    for name in ("clock", "clock2"):  # any number of them is right; with two, one may fall
        supervisor.start(name, [sys.executable, "-m", "django", "clock"])
    supervisor.start("robots", [sys.executable, "-m", "django", "robots"])
    schedule = state.folder / "schedule"
    supervisor.start("beat", [*CELERY, "beat", "--loglevel=warning", "--pidfile=", f"--schedule={schedule}"])
    site = f"http://127.0.0.1:{port}/"
    wait_for_site(supervisor, web, site)
    state.announce(site)
    print(f"\nDatum is ready at {site} after {time.monotonic() - began:.1f} s.\n", flush=True)
    if check:
        return 0 if ask_pages(site) else 1
    if play and shows_demo():
        supervisor.start("field", [sys.executable, "-m", "django", "simulate_event", "--forever"])
    print_logins()
    print("Ctrl-C stops it.\n", flush=True)
    supervisor.watch()
    return 0


def prepare(supervisor: Supervisor) -> None:
    """Bring database, static files, translations and the demo up to date; each does nothing when nothing changed."""
    import django
    from django.core.management import CommandError, call_command
    from django.db import OperationalError, connections

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")
    django.setup()
    from apps.pairs.models import Event
    from devstack.static import collect_static
    from devstack.translations import compile_catalogues

    try:
        compile_catalogues()
        call_command("migrate", verbosity=0, interactive=False)
        collect_static()
        if not Event.objects.exists():
            print("Loading the demo.", flush=True)
            call_command("load_demo")
    except OperationalError as error:
        supervisor.check()
        raise ServerError(f"The database does not answer: {error}") from error
    except CommandError as error:
        raise ServerError(str(error)) from error
    finally:
        connections.close_all()


def take_port(first: int) -> tuple[int, IO[str]]:
    """The first free port, and a lock on its number: between the look and the web server's start another copy looks."""
    for port in range(first, min(first + PORTS_TRIED, 65536)):
        try:
            claim = open(f"{tempfile.gettempdir()}/datum-{os.getuid()}-port-{port}", "a")  # noqa: SIM115 - stays open
            fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with socket.socket() as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(("127.0.0.1", port))
        except OSError:
            continue
        return port, claim
    raise ServerError(f"No port from {first} on is free: --port names another one.")


def wait_for_site(supervisor: Supervisor, web: Program, site: str) -> None:
    """Wait for the first answer, whatever it says; a web server that ends before it will not do better next time."""
    while True:
        if (status := web.process.poll()) is not None:
            raise Fallen(f"The web server ended while it started (status {status}); its lines are above.")
        supervisor.check()
        if ask(site + "health/"):
            return
        time.sleep(0.1)


def ask(address: str) -> tuple[int, str] | None:
    """Status and text of a page; None when nobody answers."""
    try:
        with urllib.request.urlopen(address, timeout=60) as answer:  # noqa: S310 - our own address
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, ""
    except OSError:
        return None


def ask_pages(site: str) -> bool:
    """Ask the home page, the first event of the list and the health page; whether all three answered 200."""
    _, listing = ask(site + "events/") or (0, "")
    event = re.search(r'href="/(events/\d+/)', listing)
    if not event:
        print("The list of events has no event.", flush=True)
    statuses = []
    for path in ("", event[1] if event else "events/", "health/"):
        began = time.monotonic()
        status, _ = ask(site + path) or (0, "")
        statuses.append(status)
        print(f"{status or 'no answer'}  /{path}  {1000 * (time.monotonic() - began):.0f} ms", flush=True)
    return bool(event) and statuses == [200, 200, 200]


def shows_demo() -> bool:
    """Whether this site is the demo: simulated pairs have no business elsewhere."""
    from django.db import connections

    from apps.pages.demo.load import is_loaded

    try:
        return is_loaded()
    finally:
        connections.close_all()


def print_logins() -> None:
    from django.contrib.auth import get_user_model
    from django.db import connections

    from apps.users.demo import DEMO_LOGINS

    known = set(get_user_model().objects.values_list("username", flat=True))
    connections.close_all()
    for role, username, password in DEMO_LOGINS:
        if username in known:
            print(f"  {role:<14} {username:<10} {password}")
    print(flush=True)


if __name__ == "__main__":
    sys.exit(main())
