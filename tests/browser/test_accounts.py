"""From sign-up to signing out, in both languages, with nothing but the forms."""

from collections.abc import Callable

import pytest
from django.utils import translation
from django.utils.translation import gettext
from playwright.sync_api import Browser, BrowserContext, Page, expect

from apps.users.models import Player
from tests.factories import make_user

LANGUAGES = [("en-GB", "en", "en"), ("zh-CN", "zh-hans", "zh-Hans")]


@pytest.fixture
def speaking(browser: Browser, site: str) -> Callable[[str, str], BrowserContext]:
    def speaking(locale: str, scheme: str) -> BrowserContext:
        return browser.new_context(base_url=site, locale=locale, color_scheme=scheme)  # type: ignore[arg-type]

    return speaking


@pytest.mark.parametrize(("locale", "language", "tag"), LANGUAGES)
def test_a_visitor_signs_up_and_in_again(
    speaking: Callable[[str, str], BrowserContext],
    locale: str,
    language: str,
    tag: str,
    axe: Callable[[Page], None],
) -> None:
    context = speaking(locale, "light")
    page = context.new_page()
    page.goto("/")
    assert page.locator("html").get_attribute("lang") == tag
    page.locator("main a[href='/accounts/signup/']").click()
    with translation.override(language):
        expect(page.locator("h1")).to_have_text(gettext("Sign up"))
    axe(page)
    page.locator("[name=username]").fill("vera")
    page.locator("[name=player_name]").fill("林书远")
    page.locator("[name=password1]").fill("seven no trumps")
    page.locator("[name=password2]").fill("seven no trumps")
    page.locator("main form button.go").click()
    expect(page.locator(".me summary")).to_have_text("vera")
    assert Player.objects.get().name == "林书远"
    page.locator(".me summary").click()
    page.locator(".me form button").click()
    expect(page.locator(".me summary")).to_have_count(0)
    page.locator(".me a").click()
    page.locator("[name=login]").fill("VERA")
    page.locator("[name=password]").fill("seven no trumps")
    page.keyboard.press("Enter")
    expect(page.locator(".me summary")).to_have_text("vera")
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("locale", "language", "tag"), LANGUAGES)
def test_account_pages_hold_no_barrier(
    speaking: Callable[[str, str], BrowserContext],
    locale: str,
    language: str,
    tag: str,
    scheme: str,
    axe: Callable[[Page], None],
) -> None:
    context = speaking(locale, scheme)
    page = context.new_page()
    for path in ("/accounts/login/", "/accounts/signup/", "/accounts/password/reset/"):
        page.goto(path)
        axe(page)
    page.goto("/accounts/login/")
    page.locator("[name=login]").fill("nobody")
    page.locator("[name=password]").fill("nothing")
    page.locator("main form button.go").click()
    expect(page.locator("[role=alert]")).to_be_visible()
    axe(page)
    context.close()


def test_a_new_account_reads_times_in_the_zone_of_its_browser(browser: Browser, site: str) -> None:
    context = browser.new_context(base_url=site, timezone_id="America/Lima", locale="en-GB")
    page = context.new_page()
    page.goto("/accounts/signup/")
    for name, value in (("username", "vera"), ("player_name", "Vera")):
        page.locator(f"[name={name}]").fill(value)
    for name in ("password1", "password2"):
        page.locator(f"[name={name}]").fill("seven no trumps")
    page.locator("main form button.go").click()
    expect(page.locator(".me summary")).to_have_text("vera")
    page.goto("/accounts/preferences/")
    expect(page.locator("[name=time_zone]")).to_have_value("America/Lima")
    context.close()


def test_preferences_change_the_look_at_once(
    page: Page, sign_in: Callable[..., None], axe: Callable[[Page], None]
) -> None:
    sign_in(make_user("vera"))
    page.goto("/accounts/preferences/")
    page.locator("[name=player_name]").fill("Vera Watts")
    page.locator("[name=theme][value=dark]").check()
    page.locator("[name=suits][value=two]").check()
    page.locator("[name=time_zone]").select_option("Europe/Dublin")
    page.locator("main form button.go").click()
    expect(page.locator("main [role=status]")).to_be_visible()
    root = page.locator("html")
    assert (root.get_attribute("data-theme"), root.get_attribute("data-suits")) == ("dark", "two")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(19, 24, 27)"
    axe(page)


def test_the_list_of_zones_offers_that_of_the_device_under_its_name_of_today(
    browser: Browser, site: str
) -> None:
    make_user("vera", password="seven no trumps")
    with browser.new_context(base_url=site, timezone_id="Asia/Calcutta") as context:
        page = context.new_page()
        page.goto("/accounts/login/?next=/accounts/preferences/")
        page.locator("[name=login]").fill("vera")
        page.locator("[name=password]").fill("seven no trumps")
        page.locator("form[action*=login] button").click()
        page.get_by_role("button", name="India: Kolkata").click()
        expect(page.locator("[name=time_zone]")).to_have_value("Asia/Kolkata")
        expect(page.get_by_role("button", name="India: Kolkata")).to_have_count(0)
