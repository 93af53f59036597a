"""Check the completions below the search field: by keys, by the mouse, under filters, and without the part."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from tools.workbench.conftest import Workbench, check, pages_of, searched

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page, Response

pytestmark = pytest.mark.any_version


@pytest.fixture
def page(context: BrowserContext, workbench: Workbench, complaints: list[str]) -> Iterator[Page]:
    yield from pages_of(context, workbench, complaints)


def enter(page: Page, text: str) -> list[str]:
    """Type a text; return the completions that the page shows for the whole text, not for its beginning."""

    def is_answer(response: Response) -> bool:
        return response.url.endswith("/api/complete") and (response.request.post_data_json or {})["prefix"] == text

    with page.expect_response(is_answer):
        page.locator("#query").press_sequentially(text)
    page.wait_for_selector("#completions li")
    return page.locator("#completions li > span:first-child").all_inner_texts()


def chosen(page: Page) -> str | None:
    name = page.get_attribute("#query", "aria-activedescendant")
    return page.locator(f"#{name} > span:first-child").inner_text() if name else None


def test_arrows_choose_and_enter_searches(page: Page) -> None:
    shown = enter(page, "pri")
    assert "Pricing call" in shown
    assert page.get_attribute("#query", "aria-expanded") == "true"
    assert chosen(page) is None
    page.keyboard.press("ArrowDown")
    assert page.input_value("#query") == chosen(page) == shown[0]
    page.keyboard.press("ArrowUp")
    assert page.input_value("#query") == "pri"
    page.keyboard.press("ArrowUp")
    assert page.input_value("#query") == chosen(page) == shown[-1] == "Pricing call"
    check(page)
    with searched(page):
        page.keyboard.press("Enter")
    assert "query=Pricing+call" in page.url or "query=Pricing%20call" in page.url
    assert page.locator("#completions").is_hidden()
    assert page.get_attribute("#query", "aria-expanded") == "false"
    assert page.evaluate("document.activeElement.id") == "query"


def test_escape_gives_back_what_was_typed(page: Page) -> None:
    enter(page, "pri")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Escape")
    assert page.input_value("#query") == "pri"
    assert page.locator("#completions").is_hidden()
    with page.expect_response("**/api/complete"):
        page.keyboard.press("ArrowDown")
    page.wait_for_selector("#completions li")
    page.keyboard.press("Tab")
    page.wait_for_selector("#completions", state="hidden")
    assert page.input_value("#query") == "pri"


def test_a_click_searches(page: Page) -> None:
    enter(page, "pricing c")
    with searched(page):
        page.get_by_role("option", name="Pricing call").click()
    assert page.input_value("#query") == "Pricing call"
    assert page.evaluate("document.activeElement.id") == "query"


def test_filters_hold(page: Page) -> None:
    assert enter(page, "disc") == ["discount"]
    page.get_by_label("Filter, JSON").fill('{"speaker": "Ben"}')
    with searched(page):
        page.keyboard.press("Tab")
    page.locator("#query").press("End")
    with page.expect_response("**/api/complete") as answer:
        page.locator("#query").press_sequentially("o")
    assert answer.value.json() == {"completions": []}
    assert page.locator("#completions").is_hidden()


def test_nothing_of_another_tenant_or_of_a_wrong_request(workbench: Workbench) -> None:
    assert workbench.given("complete", {"prefix": ""}) == {"completions": []}
    assert workbench.given("complete", {"prefix": "hidd"}) == {"completions": []}
    found = workbench.given("complete", {"prefix": "export f"})["completions"]
    assert found == [{"completion": "Export fails", "kind": "title"}]
    status, answer = workbench.call("complete", {"prefix": 1})
    assert status == 400 and answer["error"]["hint"] == "give a text"
    assert workbench.call("complete", {})[0] == 400
    assert workbench.call("complete", {"prefix": "x" * 1001})[0] == 400
