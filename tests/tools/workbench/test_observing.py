"""Test the page Observe, and a first run with nothing to search."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from tools.workbench.conftest import Workbench, check, pages_of, searched, serving
from tools.workbench.documents import SCRIPT

import pgbraid
from pgbraid_tools import standard_library
from support import HashEmbedder

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Dialog, Page

pytestmark = pytest.mark.any_version

NewDatabase = Callable[[], AbstractContextManager[str]]
NONE = "xylophone <svg onload=alarm()>"
PARTS = {
    *("health", "collections", "latency", "problems", "slow"),
    *("frequent", "growth", "outbox", "indexes", "synonyms"),
}


@pytest.fixture(scope="module")
def logged(filled: str) -> str:
    """Log searches of two tenants and record sizes, pending chunks and synonyms; return the DSN."""
    with psycopg.connect(filled, autocommit=True) as connection:
        connection.execute("select braid.set_search_log('default', 'all')")
        for tenant, query in [("default", "price"), ("default", NONE), ("other", "hidden query")]:
            connection.execute("select set_config('braid.tenant', %s, false)", [tenant])
            connection.execute("select braid.logged_search(%s)", [query])
        connection.execute("select braid.set_synonyms('price', array[%s, 'cost'])", [SCRIPT])
        connection.execute("select braid.maintain()")
        for tenant in ("default", "other"):
            connection.execute("select set_config('braid.tenant', %s, false)", [tenant])
            connection.execute("select braid.upsert_document('waits', content => 'It waits for its embedding.')")
    return filled


@pytest.fixture
def page(context: BrowserContext, workbench: Workbench, complaints: list[str]) -> Iterator[Page]:
    yield from pages_of(context, workbench, complaints)


def test_it_is_what_the_views_say(workbench: Workbench, logged: str) -> None:
    found = workbench.given("observe")
    assert found.keys() == PARTS
    rows = {name: part["rows"] for name, part in found.items()}
    with psycopg.connect(logged) as connection:
        latency = connection.execute("select calls, p95_ms from braid.search_latency").fetchall()
    assert [(row["calls"], row["p95_ms"]) for row in rows["latency"]] == latency
    assert {row["query_text"] for row in rows["problems"]} == {NONE}
    assert {row["query"] for row in rows["slow"]} == {"price", NONE}
    assert rows["growth"][-1]["chunk_count"] == 8
    assert [row["waiting_count"] for row in rows["outbox"]] == [1]
    assert rows["indexes"][0]["collection"] == "default"
    assert {row["name"] for row in rows["collections"]} == {"default", "empty"}
    assert rows["synonyms"][0]["word"] == "price"


def test_of_its_tenant_alone(workbench: Workbench, logged: str) -> None:
    found = workbench.given("observe")
    for name in PARTS - {"health", "synonyms", "collections"}:
        assert {row.get("tenant", "default") for row in found[name]["rows"]} <= {"default"}
        assert "hidden query" not in str(found[name])
    with serving(logged, "other") as other:
        assert {row["query"] for row in other.given("observe")["slow"]["rows"]} == {"hidden query"}


def test_a_login_that_only_reads_is_told_what_it_may_not_see(logged: str) -> None:
    with psycopg.connect(logged, autocommit=True) as connection:
        connection.execute("create role workbench_reader login in role braid_reader")
        try:
            connection.execute("select braid.add_tenant_member('default', 'workbench_reader')")
            with serving(make_conninfo(logged, user="workbench_reader")) as running:
                found = running.given("observe")
                assert running.given("search", {"query": "price"})["results"]
                assert running.call("query_sets")[0] == 403
        finally:
            connection.execute("select braid.remove_tenant_member('default', 'workbench_reader')")
            connection.execute("drop owned by workbench_reader")
            connection.execute("drop role workbench_reader")
    refused = {name for name, part in found.items() if "error" in part}
    assert {found[name]["error"]["sqlstate"] for name in refused} == {"42501"}
    assert {"latency", "outbox", "indexes", "growth"} <= refused
    assert {"collections", "synonyms"} <= found.keys() - refused


def test_the_page(page: Page, logged: str) -> None:
    page.get_by_role("link", name="Observe").click()
    page.wait_for_selector("#part-health")
    assert NONE in page.get_by_role("region", name="Searches with problems").inner_text()
    assert SCRIPT in page.get_by_role("region", name="Synonyms", exact=True).last.inner_text()
    check(page)
    assert page.locator("main img, main script").count() == 0
    # A click searches again for a query without results.
    with searched(page):
        page.get_by_role("region", name="Searches with problems").get_by_role("link").first.click()
    assert page.input_value("#query") == NONE


@pytest.fixture(scope="module")
def empty(new_database: NewDatabase) -> Iterator[tuple[str, Workbench]]:
    with new_database() as dsn, serving(dsn) as running:
        yield dsn, running


def test_a_first_run_offers_the_demo(
    context: BrowserContext,
    empty: tuple[str, Workbench],
    complaints: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    every = standard_library.standard_library_documents
    some = [found for found in every() if "collections" in found["external_id"]]
    monkeypatch.setattr(standard_library, "standard_library_documents", lambda: iter(some))
    dsn, running = empty
    status, answer = running.call("load_demo", {})
    assert status == 403 and "not confirmed" in answer["error"]["message"]
    opened = pages_of(context, running, complaints)
    page = next(opened)
    page.wait_for_selector("text=There is nothing to find yet")
    asked: list[str] = []

    def refuse(dialog: Dialog) -> None:
        asked.append(dialog.message)
        dialog.dismiss()

    page.once("dialog", refuse)
    page.get_by_role("button", name="Load the demo").click()
    assert "Create the collection demo" in asked[0]
    assert running.given("demo")["stage"] is None, "it was not confirmed"
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Load the demo").click()
    page.wait_for_selector(".result")
    assert "OrderedDict" in page.locator(".result h2").first.inner_text()
    with pgbraid.connect(dsn, embedder=HashEmbedder()) as client:
        (found,) = client.status("demo")["collections"]
    assert found["documents"] == len(some) and found["pending_embeddings"] == 0
    # Documents exist by now, and this workbench is read-only.
    status, answer = running.call("load_demo", {"confirm": "demo"})
    assert status == 403 and "read-only" in answer["error"]["message"]
    assert next(opened, None) is None
