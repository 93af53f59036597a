"""Build the site, follow its links, and look at it in a browser: light and dark, on a desk and on a phone."""

from __future__ import annotations

import functools
import http.server
import json
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import unquote, urlsplit

import pytest
from tools.workbench.conftest import ARGUMENTS, BROWSERS, DESKTOP, PHONE, violations

from docs.markdown import PAGES, README, ROOT
from pgbraid import __version__
from support.waiting import PATIENCE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize

pytestmark = pytest.mark.any_version
BUILD = ROOT / "python" / "pgbraid" / "tools" / "website" / "build.py"


class Read(HTMLParser):
    """Collect a page's links and anchors."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name == "id" and value:
                self.anchors.add(value)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of all versions, in which another version was before."""
    target = tmp_path_factory.mktemp("site")
    (target / "0.0.9").mkdir()
    done = subprocess.run([sys.executable, BUILD, target], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return target


@pytest.fixture(scope="module")
def site(folder: Path) -> Path:
    return folder / __version__


@pytest.fixture(scope="module")
def read(site: Path) -> dict[Path, Read]:
    return {file: Read(file) for file in site.rglob("*.html") if file.name != "404.html"}


def test_it_has_every_page(site: Path) -> None:
    for page in PAGES:
        place = page.name.removeprefix("docs/").removesuffix(".md")
        place = {"README": "pages" if page.name.startswith("docs/") else "index", "lab/README": "lab/index"}.get(
            place, place
        )
        assert (site / f"{place}.html").is_file(), page.name


def test_links_lead_somewhere(site: Path, read: dict[Path, Read]) -> None:
    count = 0
    for file, page in read.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or link.startswith("javascript"):
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            target = target / "index.html" if target.is_dir() else target
            assert target.is_file(), f"{file.relative_to(site)}: {link}"
            assert not parts.fragment or target not in read or parts.fragment in read[target].anchors | {"__skip"}, (
                f"{file.relative_to(site)}: {link}"
            )
            count += 1
    assert count > 5000


def test_what_links_to_the_repository_is_there(read: dict[Path, Read]) -> None:
    outside = {link for page in read.values() for link in page.links if link.startswith("https://github.com/pgbraid/")}
    paths = {match[1] for link in outside if (match := re.search(r"/(?:blob|tree)/HEAD/([^#]*)", link))}
    assert len(paths) > 5
    assert [path for path in paths if not (ROOT / path).exists()] == []
    assert [path for path in paths if path.startswith("docs/")] == []


def test_the_figures_are_those_of_the_readme(site: Path) -> None:
    shown = re.sub(r"<[^>]+>", " ", (site / "index.html").read_text(encoding="utf-8"))
    for table in README.tables:
        for row in table.rows:
            assert row[0] in shown and row[-1] in shown, row


def test_versions_are_listed(folder: Path) -> None:
    versions = json.loads((folder / "versions.json").read_text())
    assert [entry["version"] for entry in versions] == [__version__, "0.0.9"]
    assert [entry["aliases"] for entry in versions] == [["latest"], []]
    assert f"url={__version__}/index.html" in (folder / "index.html").read_text()


# Look at it


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/{__version__}/"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    program = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if program is None:
        pytest.skip("chromium is not installed: the site cannot be opened")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield opened
        opened.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    opened = browser.new_context(viewport=DESKTOP)
    opened.set_default_timeout(PATIENCE * 1000)
    yield opened
    opened.close()


@pytest.fixture
def page(context: BrowserContext, address: str) -> Iterator[Page]:
    """Yield a tab. Requests to other servers and the browser's complaints fail the test."""
    complaints: list[str] = []
    opened = context.new_page()
    opened.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    root = address.removesuffix(f"{__version__}/")
    opened.on("request", lambda sent: None if sent.url.startswith((root, "data:")) else complaints.append(sent.url))
    yield opened
    assert complaints == []


def faults(page: Page) -> list[Any]:
    """Return what axe finds, without the names that the theme gives to its search box and its menu of versions."""
    return [found for found in violations(page) if found[0] not in ("aria-dialog-name", "label-content-name-mismatch")]


def test_the_first_screen_answers_five_questions(page: Page, address: str) -> None:
    """A reader sees all five answers without scrolling."""
    page.goto(address)
    assert page.locator("h1").inner_text().startswith("pgbraid")
    assert "Hybrid search inside PostgreSQL" in page.locator("article p").first.inner_text()
    for title in ("Is it for me?", "Start", "How fast", "How good"):
        box = page.get_by_role("heading", name=title).bounding_box()
        assert box is not None and box["y"] + box["height"] < 860, title
    box = page.locator(".first pre").bounding_box()
    assert box is not None and box["y"] + box["height"] < 860


@pytest.mark.parametrize("place", ["index.html", "pages.html", "guide/search.html", "reference/errors.html"])
def test_pages_are_readable(page: Page, address: str, place: str) -> None:
    page.goto(f"{address}{place}")
    looks: list[tuple[Literal["light", "dark"], ViewportSize]] = [("light", DESKTOP), ("dark", PHONE)]
    for scheme, size in looks:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.set_viewport_size(size)
        assert faults(page) == [], f"{scheme} {size}"
        # Nothing is wider than the screen.
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_the_reader_chooses_light_or_dark(page: Page, address: str) -> None:
    page.emulate_media(color_scheme="dark")
    page.goto(address)
    shown = "document.body.dataset.mdColorScheme"
    assert page.evaluate(shown) == "slate"
    page.get_by_title("Light").click()
    assert page.evaluate(shown) == "default"
    assert faults(page) == []


def test_a_search_leads_to_its_page(page: Page, address: str) -> None:
    page.goto(address)
    box = page.get_by_role("textbox", name="Search")
    box.fill("synonyms")
    box.press("End")  # the theme reads the box after a key
    first = page.locator(".md-search-result__link").first
    first.wait_for()
    assert "synonyms" in first.get_attribute("href").lower()  # type: ignore[union-attr]


def test_a_phone_has_a_menu(page: Page, address: str) -> None:
    page.set_viewport_size(PHONE)
    page.goto(f"{address}guide/search.html")
    page.locator("label.md-header__button[for=__drawer]").click()
    page.get_by_role("link", name="Find the page").first.wait_for()
