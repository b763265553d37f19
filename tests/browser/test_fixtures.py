"""The fixtures of this folder notice what they promise to notice."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from apps.users.models import User


def test_a_script_error_and_a_failed_request_are_noticed(page: Page, page_errors: list[str]) -> None:
    page.goto("/health/")
    page.set_content("<title>x</title>")
    page.evaluate("console.error('fell over')")
    page.evaluate("fetch('http://localhost:1/').catch(() => 0)")
    assert any("fell over" in error for error in page_errors)
    assert any("not fetched" in error or "localhost:1" in error for error in page_errors)
    page_errors.clear()


def test_axe_finds_a_picture_without_words(page: Page, axe: Callable[[Page], None]) -> None:
    page.set_content(
        '<html lang="en"><title>x</title><main><h1>x</h1><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw="></main>'
    )
    with pytest.raises(AssertionError, match="image-alt"):
        axe(page)


def test_a_user_is_signed_in(page: Page, sign_in: Callable[[User], None]) -> None:
    sign_in(User.objects.create_user("nora", password="a bid out of turn"))
    page.goto("/accounts/preferences/")
    assert page.url.endswith("/accounts/preferences/")
