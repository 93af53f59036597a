"""Check how a browser gets in: once by a code in an address, or by a token that somebody types."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tools.workbench.conftest import Workbench, searched, serving

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

pytestmark = pytest.mark.any_version


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


def enter(workbench: Workbench, code: str) -> tuple[int, str]:
    status, answer = workbench.call("enter", {"code": code}, Authorization=None)
    return status, answer.get("token") or answer["error"]["message"]


def test_a_code_lets_in_once(workbench: Workbench) -> None:
    first, code = workbench.access.new_code(), workbench.access.new_code()
    for wrong in (first, "", code[:-1], f"{code}x", "\ud800", workbench.token):
        assert enter(workbench, wrong) == (401, "that address has been used")
    assert enter(workbench, code) == (200, workbench.token)
    assert enter(workbench, code)[0] == 401
    # A new address is announced for the next browser.
    assert enter(workbench, workbench.announced[-1]) == (200, workbench.token)


def test_what_is_no_code_is_told(workbench: Workbench) -> None:
    code = workbench.access.new_code()
    assert workbench.call("enter", {}, Authorization=None)[0] == 400
    assert workbench.call("enter", {"code": 5}, Authorization=None)[0] == 400
    assert workbench.call("enter", {"code": code}, Authorization=None, Sec_Fetch_Site="cross-site")[0] == 403
    assert workbench.call("enter", {"code": code}, Authorization=None, Origin="https://evil.example.com")[0] == 403
    assert workbench.call("enter", {"code": code}, Authorization=None, Host="evil.example.com")[0] == 421
    assert workbench.call("enter", {"code": code}, Authorization=None, Content_Type="text/plain")[0] == 415
    assert enter(workbench, code)[0] == 200


def test_the_history_has_no_way_in(page: Page, workbench: Workbench) -> None:
    address = workbench.address
    page.goto(address)
    page.wait_for_selector("#query")
    assert page.url == f"{workbench.url}/" and workbench.token not in address
    other = page.context.new_page()
    other.goto(address)
    other.wait_for_selector("[role=alert]")
    assert "that address has been used" in other.inner_text("main")
    other.close()
    # A used address does no harm to a tab that is in.
    with page.expect_response("**/api/session"):
        page.goto(address)
    page.wait_for_selector("#query")
    page.close()


def test_a_new_address_in_an_old_tab(page: Page, filled: str) -> None:
    """After a restart, a tab opens a new address that differs only after the #."""
    with serving(filled) as before:
        page.goto(f"{before.url}/#code=wrong")
        page.wait_for_selector("[role=alert]")
        page.goto(before.address)
        page.wait_for_selector("#query")
    with serving(filled, port=before.port) as after:
        page.fill("#query", "price")
        page.press("#query", "Enter")
        page.wait_for_selector(".found [role=alert]")
        assert "of another run" in page.inner_text(".found [role=alert]")
        page.goto(after.address)
        page.wait_for_selector("text=Search by words, by meaning")
        assert page.url == f"{after.url}/"
        page.fill("#query", "price")
        with searched(page):
            page.press("#query", "Enter")
    page.close()


def test_a_token_of_ones_own_is_typed(page: Page, workbench: Workbench) -> None:
    thrown: list[str] = []
    page.on("pageerror", lambda error: thrown.append(str(error)))
    page.goto(workbench.url)
    for wrong in ("…", "100%", f"{workbench.token}&"):
        page.fill("#token", wrong)
        page.keyboard.press("Enter")
        page.wait_for_selector("[role=alert]")
        assert "that is no token" in page.inner_text("[role=alert]")
    page.fill("#token", f"{workbench.token}x")
    page.keyboard.press("Enter")
    page.locator("[role=alert]", has_text="of another run").wait_for()
    page.fill("#token", f" {workbench.token} ")
    page.keyboard.press("Enter")
    page.wait_for_selector("#query")
    assert page.url == f"{workbench.url}/" and thrown == []
    page.close()
