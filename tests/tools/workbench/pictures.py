"""Take pictures of the workbench for README and docs, over the demo: `make pictures`."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import psycopg
from playwright.sync_api import sync_playwright
from tools.workbench.conftest import ARGUMENTS, BROWSERS, Workbench, serving

import pgbraid
from pgbraid import embedded
from pgbraid.embedders import LocalEmbedder
from pgbraid.install import install
from pgbraid_tools.standard_library import standard_library_documents
from support import temporary_folder

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FOLDER = Path(__file__).parents[3] / "docs" / "pictures"
MOST_BYTES = 200_000
QUERY = "wait until several tasks have arrived"
QUERIES = [
    QUERY,
    "remember the order in which keys were added",
    "read a file line by line",
    "parse dates from text",
    "compress data",
    "send an e-mail",
    "run a command and read its output",
    "a queue for threads",
    "compare two sequences",
    "random numbers that nobody can guess",
]
GRADES = [3, 1, 2, 0, 1, 0]


def main() -> None:
    program = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if program is None:
        raise SystemExit("chromium is not installed: no picture can be taken")
    folder = temporary_folder()
    FOLDER.mkdir(exist_ok=True)
    try:
        dsn = embedded.ensure_running(folder).dsn_for("postgres")
        embedder = LocalEmbedder()
        fill(dsn, embedder)
        with serving(dsn, embedder=embedder) as running, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
            take(browser, running)
            browser.close()
    finally:
        embedded.stop(folder)
        shutil.rmtree(folder)


def fill(dsn: str, embedder: LocalEmbedder) -> None:
    install(dsn)
    with pgbraid.connect(dsn, embedder=embedder) as client:
        client.create_collection("demo")
        client.set_search_log("demo", "all")
        client.add_documents(list(standard_library_documents()), collection="demo")
        client.embed_pending("demo")
        client.create_query_set("questions", description="what a newcomer asks")
        client.store_queries(
            "questions",
            [{"query_id": text, "text": text, "embedding": embedder.embed_query(text).tolist()} for text in QUERIES],
            collection="demo",
        )
        for text in QUERIES:
            found = client.search(text, len(GRADES), collection="demo", options={"group_by": "document"})
            client.store_judgments(
                "questions",
                [
                    {"query_id": text, "external_id": row.external_id, "grade": grade}
                    for row, grade in zip(found, GRADES, strict=True)
                ],
            )
        client.search("xylophone", mode="full_text", collection="demo")
        client.maintain()
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("vacuum analyze")


def take(browser: Browser, running: Workbench) -> None:
    schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    for scheme in schemes:
        page = browser.new_page(viewport={"width": 1200, "height": 800}, color_scheme=scheme)
        page.goto(running.address)
        search(page)
        shoot(page, f"search-{scheme}")
        phone = browser.new_page(viewport={"width": 390, "height": 844}, color_scheme=scheme)
        phone.goto(running.address)
        search(phone)
        shoot(phone, f"phone-{scheme}")
        phone.close()
        page.evaluate("query => { location.hash = '#/compare?' + new URLSearchParams({query}) }", QUERIES[6])
        page.locator(".compact").first.wait_for()
        shoot(page, f"compare-{scheme}")
        page.evaluate(
            "b => { location.hash = '#/evaluate?' + new URLSearchParams({b, run: 1}) }", '{"mode": "full_text"}'
        )
        page.wait_for_selector("#means")
        shoot(page, f"evaluate-{scheme}")
        page.evaluate("location.hash = '#/observe'")
        page.wait_for_selector("#part-health")
        shoot(page, f"observe-{scheme}")
        page.close()


def search(page: Page) -> None:
    page.wait_for_selector("#query")
    # A connection's first search compiles, so the query is repeated until each of several connections has searched.
    for _ in range(6):
        page.fill("#query", QUERY)
        page.press("#query", "Enter")
        page.wait_for_selector(".summary")
        page.wait_for_selector(".facet", state="attached")
    page.evaluate("document.activeElement.blur()")


def shoot(page: Page, name: str) -> None:
    page.evaluate("scrollTo(0, 0)")
    file = FOLDER / f"{name}.png"
    page.screenshot(path=file, animations="disabled")
    size = file.stat().st_size
    print(f"{file.relative_to(FOLDER.parents[1])}: {size:,} bytes")
    assert size < MOST_BYTES, file


if __name__ == "__main__":
    main()
