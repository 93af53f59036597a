"""Provide a workbench that runs in a thread, and a browser."""

from __future__ import annotations

import asyncio
import http.client
import json
import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest
import uvicorn
from tools.workbench.documents import DOCUMENTS, OTHERS

import pgbraid
from pgbraid_tools.mcp_server.connections import Connections
from pgbraid_tools.workbench import Access, build_app
from support import HashEmbedder, npm
from support.waiting import PATIENCE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize

    from pgbraid.embedders import Embedder

SLOWEST = 8_000
PHONE: ViewportSize = {"width": 390, "height": 844}
DESKTOP: ViewportSize = {"width": 1280, "height": 860}
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]


class Workbench:
    """Send requests as the page sends them, unless `headers` say otherwise."""

    def __init__(self, port: int, access: Access) -> None:
        self.port = port
        self.token = access.token
        self.access = access
        # The addresses that the server announced after a code was used.
        self.announced: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def address(self) -> str:
        """Return an address with a new code, which lets in once."""
        return f"{self.url}/#code={self.access.new_code()}"

    def request(
        self, method: str, path: str, body: Any = None, **headers: str | None
    ) -> tuple[int, dict[str, str], bytes]:
        given: dict[str, str | None] = {
            "Host": f"127.0.0.1:{self.port}",
            "Authorization": f"Bearer {self.token}",
            "Content-Type": "application/json",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.putrequest(method, path, skip_host=True)
            content = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
            for name, value in given.items():
                if value is not None:
                    connection.putheader(name, value)
            connection.putheader("Content-Length", str(len(content)))
            connection.endheaders(content)
            response = connection.getresponse()
            return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()
        finally:
            connection.close()

    def call(self, name: str, body: Any = None, **headers: str | None) -> tuple[int, Any]:
        status, _, answer = self.request("POST", f"/api/{name}", {} if body is None else body, **headers)
        return status, json.loads(answer)

    def given(self, name: str, body: Any = None) -> Any:
        status, answer = self.call(name, body)
        assert status == 200, answer
        return answer


@contextmanager
def serving(
    dsn: str, tenant: str = "default", *, write: bool = False, embedder: Embedder | None = None, port: int = 0
) -> Iterator[Workbench]:
    access = Access(write=write)
    listening = socket.create_server(("127.0.0.1", port))
    connections = Connections(dsn, tenant=tenant, embedder=embedder or HashEmbedder())
    running = Workbench(listening.getsockname()[1], access)
    started = threading.Event()
    servers: list[uvicorn.Server] = []

    async def serve() -> None:
        async with connections:
            app = build_app(connections, access, running.announced.append)
            server = uvicorn.Server(uvicorn.Config(app, lifespan="off", log_level="warning", ws="none"))
            servers.append(server)
            started.set()
            await server.serve(sockets=[listening])

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    try:
        assert started.wait(PATIENCE)
        yield running
    finally:
        for server in servers:
            server.should_exit = True
        thread.join(PATIENCE)
        listening.close()


@pytest.fixture(scope="module")
def filled(new_database: Callable[[], AbstractContextManager[str]]) -> Iterator[str]:
    """Yield the DSN of a database with two tenants."""
    with new_database() as dsn:
        with pgbraid.connect(dsn, embedder=HashEmbedder()) as client:
            client.create_tenant("other")
            client.add_documents(DOCUMENTS)
            client.embed_pending()
            client.create_collection("empty")
            client.tenant = "other"
            client.add_documents(OTHERS)
            client.embed_pending()
        yield dsn


@pytest.fixture(scope="module")
def workbench(filled: str) -> Iterator[Workbench]:
    """Yield a workbench that only reads."""
    with serving(filled) as running:
        yield running


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Yield one browser for all files: starting it takes longer than most tests."""
    program = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if program is None:
        pytest.skip("chromium is not installed: the pages of the workbench cannot be opened")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        try:
            yield opened
        finally:
            opened.close()


@pytest.fixture(scope="module")
def context(browser: Browser) -> Iterator[BrowserContext]:
    opened = browser.new_context(viewport=DESKTOP, permissions=["clipboard-read", "clipboard-write"])
    opened.set_default_timeout(SLOWEST)
    yield opened
    opened.close()


@pytest.fixture
def complaints() -> list[str]:
    """Return the list of the browser's complaints; each fails the test."""
    return []


def pages_of(context: BrowserContext, workbench: Workbench, complaints: list[str]) -> Iterator[Page]:
    """Yield a tab that has been let in. Requests to other servers are complaints."""
    opened = context.new_page()
    opened.on("console", lambda message: complaints.append(message.text) if message.type != "log" else None)
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on("request", lambda sent: None if sent.url.startswith(workbench.url) else complaints.append(sent.url))
    opened.goto(workbench.address)
    opened.wait_for_selector("#query")
    yield opened
    harmed = opened.evaluate("window.harmed")
    opened.close()
    assert complaints == []
    assert harmed is None


@contextmanager
def searched(page: Page, shown: str = ".summary") -> Iterator[None]:
    """Wait until the search of the block has been answered and `shown` is there. The address changes before the page
    does, and the page removes earlier results when it asks."""
    with page.expect_response("**/api/search"):
        yield
    page.wait_for_selector(shown)


def check(page: Page) -> None:
    """Check a page in light and dark, wide and narrow."""
    page.emulate_media(reduced_motion="reduce")
    looks: list[tuple[Literal["light", "dark"], ViewportSize]] = [("light", DESKTOP), ("dark", PHONE)]
    for scheme, size in looks:
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size(size)
        assert violations(page) == [], f"{scheme} {size}"
        # Nothing is wider than the screen.
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    page.set_viewport_size(DESKTOP)


def violations(page: Page) -> list[Any]:
    """Return the faults that axe calls serious or critical."""
    axe = npm.installed(npm.AXE) / "node_modules" / "axe-core" / "axe.min.js"
    # The debugger may run it; the page's own policy would refuse a script.
    page.evaluate(Path(axe).read_text())
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        (each["id"], [node["html"][:200] for node in each["nodes"]][:3])
        for each in found["violations"]
        if each["impact"] in ("serious", "critical")
    ]
