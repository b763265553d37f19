"""All of Datum as it runs for people: pages by granian, the process of the sockets, clocks, a worker."""

import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Self

from tests.faults.stack import ROOT, Process, Stack
from tests.road.client import Site
from tests.road.people import Person


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


class Place(Stack):
    """The whole of it, in a folder, with pages and sockets."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.web_port, self.live_port = free_port(), free_port()
        self.site = Site(f"http://127.0.0.1:{self.web_port}", f"ws://127.0.0.1:{self.live_port}")
        self.environment |= {
            "SITE_URL": self.site.pages,
            "LIVE_URL": self.site.live,
            "DJANGO_SETTINGS_MODULE": "tests.road.settings",
        }

    def __enter__(self) -> Self:
        super().__enter__()
        self.manage("collectstatic", "--noinput", "-v0")
        self.web, self.live = self.start_web(), self.start_live()
        self.clocks = [self.clock(), self.clock()]
        self.work = self.worker()
        self.wait()
        return self

    def start_web(self) -> Process:
        return self.start("-m", "devstack.web", str(self.web_port))

    def start_live(self) -> Process:
        return self.start("-m", "devstack.live", str(self.live_port))

    def wait(self, seconds: float = 60) -> None:
        """Until both servers answer, whatever they say."""
        end = time.monotonic() + seconds
        for address in (f"{self.site.pages}/health/", self.site.live.replace("ws", "http", 1) + "/"):
            while True:
                try:
                    urllib.request.urlopen(address, timeout=10).close()
                    break
                except urllib.error.HTTPError:
                    break
                except OSError:
                    assert time.monotonic() < end, (self.folder / "log").read_text(errors="replace")[-3000:]
                    time.sleep(0.1)

    def people(self, number: int) -> list[Person]:
        """So many new people, signed in."""
        return [Person(**each) for each in self.say("tests.road.people", number)]

    def say(self, module: str, *arguments: object) -> Any:
        """What a module prints as JSON, in a process of this place."""
        done = subprocess.run(
            [sys.executable, "-m", module, *map(str, arguments)],
            env=self.environment,
            cwd=ROOT,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()
        return json.loads(done.stdout)
