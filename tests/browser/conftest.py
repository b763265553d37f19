"""A real browser on a real server. What the page logs as an error, or cannot fetch, fails its test."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.db import connections
from django.test import Client
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    Response,
    expect,
    sync_playwright,
)
from pytest_django.live_server_helper import LiveServer

from apps.users.models import Player, User
from devstack import chromium
from tests.faults.test_worker import database_url

os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"  # Playwright keeps a loop running in the main thread
expect.set_options(timeout=20_000)  # on a machine that has much to do; what comes sooner is not waited for

OPTIONS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

ROOT = Path(__file__).resolve().parents[2]
DESK: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}
PHONE: dict[str, Any] = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
Open = Callable[..., Page]
GIVEN_UP = ("htmx:sendAbort", "htmx:afterRequest")  # a press takes the place of a request that was under way


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The browser of the tests of a module, and not of more, for Playwright keeps a loop running in the main thread.

    Where a loop runs Django keeps other connections than where none does. One that stayed open on the other side would be
    shared with every process that a test forks, for a fork has no loop.
    """
    executable = chromium.find()
    if not executable:
        pytest.fail(chromium.MISSING, pytrace=False)
    connections.close_all()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=OPTIONS)
        yield browser
        browser.close()
        connections.close_all()


@pytest.fixture
def site(live_server: LiveServer) -> str:
    """The server's address, without a slash at its end."""
    return str(live_server.url)


@pytest.fixture
def context(browser: Browser, site: str) -> Iterator[BrowserContext]:
    """One visitor: his cookies, his language. Paths like `/events/` are this site's."""
    context = browser.new_context(base_url=site, locale="en-GB", viewport={"width": 1280, "height": 900})
    context.set_default_timeout(15_000)
    yield context
    context.close()


@pytest.fixture
def page_errors() -> list[str]:
    """What went wrong on the page; a test that expects an error looks at it and clears it."""
    return []


@pytest.fixture
def page(context: BrowserContext, page_errors: list[str]) -> Iterator[Page]:
    page = context.new_page()
    watch(page, page_errors)
    yield page
    assert not page_errors, "\n".join(page_errors)


def watch(page: Page, errors: list[str]) -> None:
    def console(message: ConsoleMessage) -> None:
        if message.type == "error" and not message.text.startswith(GIVEN_UP):
            errors.append(f"console: {message.text}")

    def failed(request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":  # the next page was asked for before this answer came
            errors.append(f"not fetched: {request.url} ({request.failure})")

    def answered(response: Response) -> None:
        if response.status >= 500:
            errors.append(f"status {response.status}: {response.url}")

    page.on("console", console)
    page.on("pageerror", lambda error: errors.append(f"script: {error}"))
    page.on("requestfailed", failed)
    page.on("response", answered)


@pytest.fixture
def sign_in(context: BrowserContext, site: str) -> Callable[[User], None]:
    """Signs a user in without the form."""

    def sign_in(user: User) -> None:
        client = Client()
        client.force_login(user)
        context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": site}])

    return sign_in


@pytest.fixture
def axe() -> Callable[[Page], None]:
    """Fails when axe finds a barrier on the page."""

    def axe(page: Page) -> None:
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()

    return axe


@pytest.fixture
def open_for(browser: Browser, site: str, page_errors: list[str]) -> Iterator[Open]:
    """Opens the browser of a player, at a desk and in English unless told otherwise."""
    contexts: list[BrowserContext] = []

    def open_for(player: Player, **options: object) -> Page:
        chosen = DESK | {"locale": "en-GB", "base_url": site, "reduced_motion": "reduce"} | options
        context = browser.new_context(**chosen)
        context.set_default_timeout(20_000)
        contexts.append(context)
        client = Client()
        assert player.user
        client.force_login(player.user)
        context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": site}])
        page = context.new_page()
        watch(page, page_errors)
        return page

    yield open_for
    for context in contexts:
        context.close()
    assert not page_errors, "\n".join(page_errors)


@pytest.fixture
def live(site: str, settings: Any, tmp_path: Path) -> Iterator[None]:
    """The process of the sockets, on the database of the test."""
    port = int(site.rpartition(":")[2]) + 1
    settings.LIVE_URL = f"ws://localhost:{port}"
    policy = settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]
    settings.CONTENT_SECURITY_POLICY = {"DIRECTIVES": policy | {"connect-src": ["'self'", settings.LIVE_URL]}}
    environment = os.environ | {
        "DATABASE_URL": database_url(),
        "DJANGO_SETTINGS_MODULE": "config.settings.test",
        "SITE_URL": site,
    }
    with (tmp_path / "live").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "devstack.live", str(port)],
            cwd=ROOT,
            env=environment,
            stdout=log,
            stderr=log,
        )
        while not listens(port):
            assert process.poll() is None, (tmp_path / "live").read_text()
            time.sleep(0.1)
        yield
        process.terminate()
        process.wait(20)


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
