"""Check where the focus stays, what stays open, and keys that can be turned off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import psycopg
import pytest
from tools.workbench.conftest import DESKTOP, PHONE, Workbench, pages_of, searched

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page, Route

pytestmark = pytest.mark.any_version


@pytest.fixture
def page(context: BrowserContext, workbench: Workbench, complaints: list[str]) -> Iterator[Page]:
    yield from pages_of(context, workbench, complaints)


def search(page: Page, query: str) -> None:
    page.fill("#query", query)
    with searched(page):
        page.press("#query", "Enter")


def test_a_search_leaves_the_focus_where_it_is(page: Page) -> None:
    search(page, "price")
    assert page.evaluate("document.activeElement.id") == "query"
    page.get_by_label("Hybrid").focus()
    with searched(page):
        page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.value") == "full_text"
    page.get_by_label("south", exact=False).focus()
    with searched(page):
        page.keyboard.press("Space")
    assert page.get_by_label("south", exact=False).is_checked()
    assert page.evaluate("document.activeElement.type") == "checkbox"
    page.get_by_label("Filter, JSON").fill('{"category": "sales"}')
    with searched(page):
        page.keyboard.press("Tab")
    # The next control was replaced meanwhile; Tab still reaches it.
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Copy as …"


def test_so_does_a_comparison(page: Page) -> None:
    with searched(page, ".compact"):
        page.evaluate("location.hash = '#/compare?query=price'")
    page.get_by_role("region", name="a baseline").get_by_label("Hybrid").focus()
    page.keyboard.press("ArrowRight")
    with searched(page, ".compact"):
        page.keyboard.press("Enter")
    assert "full_text" in page.url
    assert page.evaluate("document.activeElement.value") == "full_text"


def test_every_collection_can_be_reached_by_arrows(page: Page, filled: str) -> None:
    with psycopg.connect(filled, autocommit=True) as connection:
        connection.execute("select braid.create_collection('zoo')")
    page.reload()
    page.wait_for_selector("#query")
    search(page, "price")
    page.locator("#collection").focus()
    for name in ("empty", "zoo"):
        with searched(page, "text=Nothing was found"):
            page.keyboard.press("ArrowDown")
        assert f"collection={name}" in page.url
        assert page.evaluate("document.activeElement.id") == "collection"
        assert page.input_value("#query") == "price" and page.input_value("#collection") == name


def test_filters_stay_open_and_are_counted_once(page: Page) -> None:
    counted: list[str] = []
    page.on("request", lambda sent: counted.append(sent.url) if sent.url.endswith("/api/facets") else None)
    page.set_viewport_size(PHONE)
    page.reload()
    page.wait_for_selector("#query")
    search(page, "price")
    page.get_by_text("Filters").click()
    for name in ("south", "north"):
        with searched(page):
            page.get_by_label(name, exact=False).check()
        assert page.get_by_label(name, exact=False).is_visible()
    with searched(page):
        page.go_back()
    assert page.get_by_label("south", exact=False).is_visible()
    # Values are counted once for the collection and once for the query.
    assert len(counted) == 2
    page.set_viewport_size(DESKTOP)


def test_an_explanation_that_failed_is_asked_for_again(page: Page, complaints: list[str]) -> None:
    search(page, "price")

    def fail(route: Route) -> None:
        route.fulfill(status=503, body='{"error": {"message": "not now"}}')

    page.route("**/api/explain", fail, times=1)
    first, second = page.get_by_role("button", name="Why here?").all()[:2]
    first.click()
    page.wait_for_selector(".opened [role=alert]")
    second.click()
    page.wait_for_selector(".sum")
    complaints.clear()


def test_the_same_count_is_said_again(page: Page) -> None:
    page.evaluate(
        """() => {
          window.told = []
          const said = document.getElementById('said')
          new MutationObserver(() => told.push(said.textContent)).observe(said, { childList: true })
        }"""
    )
    for _ in range(2):
        search(page, "zebra")
        page.locator("#said", has_text="results").wait_for(state="attached")
    told = page.evaluate("told")
    assert told[-2] == "" and told[-1] == told[-3] != ""


def test_keys_can_be_turned_off(page: Page) -> None:
    search(page, "price")
    page.get_by_role("button", name="Keys").click()
    page.get_by_label("Use these keys").uncheck()
    page.keyboard.press("Escape")
    page.locator("dialog").wait_for(state="detached")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("j")
    page.keyboard.press("/")
    page.keyboard.press("?")
    assert page.evaluate("document.activeElement === document.body") and page.locator("dialog").count() == 0
    with searched(page):
        page.reload()
    page.get_by_role("button", name="Keys").click()
    assert not page.get_by_label("Use these keys").is_checked()
    page.get_by_label("Use these keys").check()
    page.keyboard.press("Escape")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.matches('.result')")


def test_forced_colours_show_the_focus(page: Page) -> None:
    page.emulate_media(forced_colors="active")
    search(page, "price")
    page.locator(".result").first.focus()
    style = page.evaluate("(s => [s.outlineStyle, s.outlineWidth])(getComputedStyle(document.activeElement))")
    assert style == ["solid", "2px"]
    grounds = page.evaluate(
        "['.level', '.track'].map((s) => getComputedStyle(document.querySelector(s)).backgroundColor)"
    )
    assert grounds[0] != grounds[1]
    page.emulate_media(forced_colors="none")
