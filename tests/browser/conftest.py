"""A real browser on a real server. What the page logs as an error, or cannot fetch, fails its test."""

import os
from collections.abc import Callable, Iterator

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

from apps.users.models import User
from devstack import chromium

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
