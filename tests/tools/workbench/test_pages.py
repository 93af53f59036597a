"""Test the pages in a browser: what they show, by mouse and by keyboard alone, and that data stays text."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from tools.workbench.conftest import DESKTOP, PHONE, Workbench, check, pages_of, searched, violations
from tools.workbench.documents import EVIL, SCRIPT

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page, Route

pytestmark = pytest.mark.any_version


@pytest.fixture
def page(context: BrowserContext, workbench: Workbench, complaints: list[str]) -> Iterator[Page]:
    yield from pages_of(context, workbench, complaints)


def search_for(page: Page, query: str) -> None:
    page.fill("#query", query)
    page.press("#query", "Enter")


def search(page: Page, query: str) -> None:
    with searched(page):
        search_for(page, query)


def titles(page: Page) -> list[str]:
    return page.locator(".result h2").all_inner_texts()


def test_the_token_leaves_the_address(page: Page, workbench: Workbench) -> None:
    assert workbench.token not in page.url
    page.reload()
    page.wait_for_selector("#query")
    assert page.evaluate("document.cookie") == ""


def test_without_the_token_a_page_says_what_to_do(context: BrowserContext, workbench: Workbench) -> None:
    opened = context.new_page()
    opened.goto(workbench.url)
    assert "Open the whole address" in opened.inner_text("main")
    opened.goto(f"{workbench.url}/#code=wrong")
    opened.wait_for_selector("[role=alert]")
    assert "that address has been used" in opened.inner_text("main")
    opened.close()


def test_a_search_and_all_that_it_can_tell(page: Page, workbench: Workbench) -> None:
    search(page, "price discount")
    rows = workbench.given("search", {"query": "price discount"})["results"]
    assert titles(page) == [row["title"] for row in rows]
    first = page.locator(".result").first
    assert first.locator("mark").all_inner_texts() == ["price", "discount"]
    assert first.locator(".legs .rank").all_inner_texts() == ["#1", "#1"]
    assert first.locator(".total").inner_text() == f"{rows[0]['score']:.3f}"
    first.get_by_role("button", name="Why here?").click()
    arithmetic = first.locator(".sum code").inner_text().strip(" =")
    assert eval(arithmetic) == rows[0]["score"]
    assert {"price", "discount"} <= set(first.locator(".opened td:first-child").all_inner_texts())
    first.get_by_role("button", name="More like this").click()
    first.locator(".short li").first.wait_for()
    assert "Pricing call" not in first.locator(".short strong").all_inner_texts()
    meeting = page.locator(".result", has=page.locator(":scope > .passage", has_text="first year"))
    meeting.get_by_role("button", name="In its context").click()
    meeting.locator(".turns li").first.wait_for()
    assert meeting.locator(".turns .passage").all_inner_texts() == [
        "What do customers say about our price?",
        "They find that they pay too much for small teams.",
        "Then let us offer a discount for the first year.",
    ]
    assert "first year" in meeting.locator(".turns .here").inner_text()


def test_why_something_is_not_there(page: Page) -> None:
    search(page, "discount")
    page.get_by_role("button", name="Why is … not here?").click()
    page.keyboard.type("no-such-call")
    page.keyboard.press("Enter")
    page.wait_for_selector(".fate")
    assert "There is no such document" in page.inner_text(".fate")
    page.fill("input[name=external_id]", "hidden-1")
    page.keyboard.press("Enter")
    page.locator(".fate", has_text="hidden-1").wait_for()
    assert "There is no such document" in page.inner_text(".fate")


def test_filters_timeframes_and_settings_stand_in_the_address(page: Page) -> None:
    search(page, "price")
    with searched(page):
        page.get_by_label("south", exact=False).check()
    assert "filters=" in page.url
    assert set(titles(page)) == {"Weekly meeting", "Export fails"}
    page.get_by_label("When").fill("March 2026")
    with searched(page):
        page.get_by_label("When").press("Enter")
    assert "timeframe=" in page.url
    assert set(titles(page)) == {"Weekly meeting"}
    page.get_by_text("Ranking and options").click()
    page.get_by_label("One result a document").check()
    page.get_by_label("Weight of semantic").fill("0")
    with searched(page):
        page.get_by_role("button", name="Search", exact=True).click()
    assert "semantic_weight=0" in page.url
    assert titles(page) == ["Weekly meeting"]
    with searched(page):
        page.reload()
    assert titles(page) == ["Weekly meeting"]
    assert page.get_by_label("Weight of semantic").input_value() == "0"
    assert page.get_by_label("south", exact=False).is_checked()
    for _ in range(2):
        with searched(page):
            page.go_back()
    assert "timeframe" not in page.url
    assert page.get_by_label("When").input_value() == ""


def test_mistakes_are_told(page: Page, complaints: list[str]) -> None:
    page.get_by_text("Ranking and options").click()
    page.get_by_label("More options, JSON").fill("{")
    search_button = page.get_by_role("button", name="Search", exact=True)
    search_button.click()
    assert "the options are no JSON object" in page.inner_text("[role=alert]")
    page.get_by_label("More options, JSON").fill('{"grup_by": "document"}')
    page.fill("#query", "price")
    with page.expect_response("**/api/search") as answered:
        search_button.click()
    assert answered.value.status == 400
    page.wait_for_selector(".found [role=alert]")
    assert "grup_by" in page.inner_text(".found [role=alert]")
    (complaint,) = complaints
    assert "400" in complaint
    complaints.clear()


def test_texts_to_copy(page: Page) -> None:
    page.get_by_label("Full text", exact=True).check()
    search(page, "it's a price")
    page.get_by_role("button", name="Copy as …").click()
    page.wait_for_selector(".copies pre")
    shown = {}
    for name in ("SQL", "supabase-js", "curl", "Python"):
        page.get_by_label(name, exact=True).check()
        page.get_by_role("button", name="Copy", exact=True).click()
        page.get_by_role("button", name="Copied").wait_for()
        shown[name] = page.evaluate("navigator.clipboard.readText()")
        assert shown[name] == page.locator(".copies pre").text_content()
    assert "query_text => 'it''s a price'" in shown["SQL"]
    assert ".rpc('full_text_search'" in shown["supabase-js"]
    assert "client.search(" in shown["Python"] and "/rpc/full_text_search" in shown["curl"]


def test_by_keyboard_alone(page: Page) -> None:
    page.keyboard.type("price")
    with searched(page):
        page.keyboard.press("Enter")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    assert page.evaluate("document.activeElement.querySelector('.place').textContent") == "1"
    page.keyboard.press("e")
    page.wait_for_selector(".sum")
    # Tab goes from a result to its actions.
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Why here?"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector(".turns")
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open]")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "query"
    # Tab reaches every control from the beginning of the page, and each one shows its focus.
    page.evaluate("document.activeElement.blur()")
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate("(e => e.id || e.name || e.textContent.trim() || e.placeholder)(document.activeElement)")
        )
    assert {"Skip to the page", "collection", "query", "mode", "Ranking and options", "Why here?"} <= reached


@pytest.mark.parametrize("query", ["zebra", f"zebra {EVIL}", f"zebra {SCRIPT}"])
def test_data_stays_text(page: Page, query: str) -> None:
    search(page, query)
    assert titles(page)[:2] == [f"Title {SCRIPT}"] * 2
    first = page.locator(".result").first
    assert EVIL in first.locator(".passage").inner_text() and "<mark>" in first.locator(".passage").inner_text()
    assert EVIL in first.locator(".origin").inner_text() and EVIL in first.locator(".tags").inner_text()
    for name in ("Why here?", "In its context", "More like this"):
        first.get_by_role("button", name=name).click()
    for what in (".sum", ".turns", ".short"):
        first.locator(what).wait_for()
    page.wait_for_selector(".facet")
    assert SCRIPT in page.locator(".side").inner_text()
    assert EVIL in page.locator(".side legend").all_inner_texts()
    page.get_by_role("button", name="Copy as …").click()
    page.wait_for_selector(".copies pre")
    page.get_by_role("button", name="Why is … not here?").click()
    page.keyboard.type(f"{EVIL}1")
    page.keyboard.press("Enter")
    page.wait_for_selector(".fate")
    assert page.locator("main img, main script, main iframe, main [href^='javascript:']").count() == 0


def test_a_hostile_address_is_harmless(page: Page, workbench: Workbench) -> None:
    values = {"query": SCRIPT, "filters": '{"__proto__": {}', "options": "[1", "match_count": EVIL, "mode": "hybrid"}
    with searched(page):
        page.evaluate("values => { location.hash = '#/search?' + new URLSearchParams(values) }", values)
    page.evaluate("location.hash = '#/__proto__?collection=constructor'")
    page.wait_for_selector("text=Search by words, by meaning")
    assert page.locator("main img, main script").count() == 0


def test_a_page_that_is_left_does_not_come_back(page: Page) -> None:
    held: list[Route] = []
    page.route("**/api/query_sets", lambda route: held.append(route))
    with page.expect_request("**/api/query_sets"):
        page.get_by_role("link", name="Evaluate").click()
    page.get_by_role("link", name="Observe").click()
    page.wait_for_selector("#part-health")
    with page.expect_response("**/api/query_sets") as answered:
        held[0].continue_()
    answered.value.finished()
    # When a later request is answered, the page has already handled the earlier answer.
    page.evaluate("fetch('/app.js').then((response) => response.text())")
    assert page.locator("h1").inner_text() == "Observe"


def test_a_comparison_that_is_late_does_not_replace_a_newer_one(page: Page) -> None:
    page.get_by_role("link", name="Compare").click()
    page.wait_for_selector(".configuration")
    page.route("**/api/search", lambda route: None, times=2)
    with page.expect_request("**/api/search"):
        search_for(page, "price")
    with page.expect_event("requestfailed") as given_up, searched(page, ".compact"):
        search_for(page, "zebra")
    assert '"query":"price"' in (given_up.value.post_data or "")
    assert page.locator(".compact h3").first.inner_text() == f"Title {SCRIPT}"


def counts(page: Page) -> dict[str, str]:
    """Return the count that the filters show for each value of the team."""
    labels = page.locator("fieldset.facet", has_text="team").locator("label").all()
    return {label.locator(".name").inner_text(): label.locator(".soft").inner_text() for label in labels}


def test_counts_of_filters_follow_the_query(page: Page) -> None:
    page.wait_for_selector(".facet")
    assert (counts(page)["north"], counts(page)["south"]) == ("2", "4")
    search(page, "price")
    page.locator(".counted").wait_for()
    assert (counts(page)["north"], counts(page)["south"]) == ("2", "1")
    search(page, "export")
    page.wait_for_function(
        "() => [...document.querySelectorAll('.facet .check .soft')].some((e) => e.textContent === '0')"
    )
    assert (counts(page)["north"], counts(page)["south"]) == ("0", "1")
    # Semantic search finds all documents, so the filters show the collection's counts.
    with searched(page):
        page.get_by_label("Semantic", exact=True).check()
    page.locator(".counted").wait_for(state="hidden")
    assert (counts(page)["north"], counts(page)["south"]) == ("2", "4")


def test_months_are_filters_and_totals_are_shown(page: Page) -> None:
    search(page, "price")
    page.locator(".counted", has_text="chunks of").wait_for()
    month = page.locator(".month", has_text="2026-02")
    number = int(month.locator(".soft").inner_text())
    with searched(page):
        month.click()
    assert "2026-02-01T00:00:00Z" in page.get_by_label("Filter, JSON").input_value()
    assert 0 < len(titles(page)) <= number


def test_filters_that_leave_nothing_say_so(page: Page) -> None:
    ask = "values => { location.hash = '#/search?' + new URLSearchParams(values) }"
    values = {"mode": "full_text", "filters": '{"category": "nowhere"}'}
    with searched(page):
        page.evaluate(ask, {"query": "price", **values})
    page.wait_for_selector("text=The filters leave nothing of what the query finds")
    with searched(page):
        page.get_by_role("link", name="Search without the filters").click()
    assert len(titles(page)) > 2
    with searched(page):
        page.evaluate(ask, {"query": "xylophone", **values})
    page.wait_for_selector("text=Nothing was found.")


def test_rows_as_csv(page: Page) -> None:
    search(page, "price discount")
    with page.expect_download() as started:
        page.get_by_role("button", name="Download CSV").click()
    assert started.value.suggested_filename == "default.csv"
    rows = list(csv.DictReader(started.value.path().read_text().splitlines()))
    assert [row["title"] for row in rows] == titles(page)
    assert (rows[0]["rank"], rows[0]["external_id"], rows[0]["full_text_rank"]) == ("1", "call-1", "1")
    # Markup, quotes and line ends stay data in the download, too.
    search(page, "zebra")
    with page.expect_download() as started:
        page.get_by_role("button", name="Download CSV").click()
    assert next(csv.DictReader(io.StringIO(started.value.path().read_text())))["title"] == f"Title {SCRIPT}"


def test_what_is_in_the_header_is_named(page: Page) -> None:
    assert "Tenant default" in page.inner_text("#where")
    assert "Collection" in page.inner_text("#where")


def test_a_phone_shows_results_soon(page: Page) -> None:
    page.set_viewport_size(PHONE)
    page.reload()
    page.wait_for_selector("#query")
    search(page, "price")
    top = page.evaluate("document.querySelector('.result').getBoundingClientRect().top + scrollY")
    # Fonts differ between machines, so a result may begin anywhere in the upper half of the screen.
    assert top < PHONE["height"] / 2
    # Folded options appear on request.
    assert page.get_by_label("When").is_hidden()
    page.get_by_text("Ranking and options").click()
    page.get_by_label("When").fill("March 2026")
    page.set_viewport_size(DESKTOP)


def test_an_empty_collection_says_so(page: Page) -> None:
    page.select_option("#collection", "empty")
    page.wait_for_selector("text=There is nothing to find yet")


def test_everybody_can_use_it(page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")
    search(page, "price discount")
    first = page.locator(".result").first
    for name in ("Why here?", "In its context", "More like this"):
        first.get_by_role("button", name=name).click()
    for what in (".sum", ".turns", ".short"):
        first.locator(what).wait_for()
    page.get_by_text("Ranking and options").click()
    page.get_by_role("button", name="Copy as …").click()
    page.wait_for_selector(".copies pre")
    check(page)
    page.get_by_role("button", name="Why is … not here?").click()
    page.keyboard.type("ticket-1")
    page.keyboard.press("Enter")
    page.wait_for_selector(".fate")
    page.locator(".result").first.focus()
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open]")
    assert violations(page) == []
