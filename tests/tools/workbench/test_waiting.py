"""Check that a slow request holds up nobody else, and ends when nobody waits for it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from tools.workbench.conftest import Workbench, serving

from pgbraid_tools.mcp_server import connections
from pgbraid_tools.workbench import server
from support import HashEmbedder
from support.waiting import PATIENCE, until

pytestmark = pytest.mark.any_version

PRICE = {"query": "price", "mode": "full_text"}
WAITING = """
select count(*) from pg_stat_activity
where datname = current_database() and wait_event_type = 'Lock' and state = 'active'
"""


@contextmanager
def held_up(dsn: str) -> Iterator[psycopg.Connection]:
    """Hold a lock that searches wait for; yield a connection to watch them."""
    with psycopg.connect(dsn) as holding, psycopg.connect(dsn, autocommit=True) as watching:
        holding.execute("lock table braid_store.chunks in access exclusive mode")
        yield watching
        holding.rollback()


def wait_until(watching: psycopg.Connection, count: int) -> None:
    until(
        lambda: watching.execute(WAITING).fetchone() == (count,), lambda: f"{count} waiting sessions are not to be seen"
    )


def test_a_search_is_cancelled_when_its_browser_leaves(workbench: Workbench, filled: str) -> None:
    with held_up(filled) as watching:
        body = b'{"query": "price", "mode": "full_text"}'
        head = (
            f"POST /api/search HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {workbench.token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        leaving = [socket.create_connection(("127.0.0.1", workbench.port), 30) for _ in range(9)]
        for connection in leaving:
            connection.sendall(head.encode() + body)
        wait_until(watching, connections.MOST_CONNECTIONS)
        for connection in leaving:
            connection.close()
        wait_until(watching, 0)
        # Others can use the connections again.
        assert workbench.call("query_sets")[0] == 200
    assert workbench.given("search", PRICE)["results"]


def test_a_statement_has_its_time(filled: str, monkeypatch: pytest.MonkeyPatch) -> None:
    short = make_conninfo(filled, options="-c statement_timeout=2s")
    with held_up(filled):
        with serving(short) as running:
            # The login's own timeout stays, because it is shorter.
            status, answer = running.call("search", PRICE)
            assert status == 504 and "at most 30 seconds here" in answer["error"]["hint"]
        monkeypatch.setattr(server, "LONGEST", 1)
        with serving(filled) as running:
            status, answer = running.call("search", PRICE)
            assert status == 504 and answer["error"]["message"] == "the statement took too long"


class Slow(HashEmbedder):
    """Wait until `goes_on` is set before embedding, and fail for a query that asks for it."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.goes_on = threading.Event()

    def embed_query(self, text: str):  # type: ignore[no-untyped-def]
        self.asked.append(text)
        assert self.goes_on.wait(PATIENCE)
        if "fail" in text:
            raise ConnectionError("the service is away")
        return super().embed_query(text)


def test_no_connection_is_held_while_a_query_is_embedded(filled: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MOST_CONNECTIONS", 2)
    slow = Slow()
    with serving(filled, embedder=slow) as running, ThreadPoolExecutor(3) as pool:
        try:
            asked = [{"query": text, "mode": mode} for mode, text in [("hybrid", "a price"), ("hybrid", "fail price")]]
            answers = [pool.submit(running.call, "search", search) for search in asked]
            until(lambda: len(slow.asked) == 2)
            assert running.given("search", PRICE)["results"]
        finally:
            slow.goes_on.set()
        (status, found), (failed_status, failed) = (answer.result() for answer in answers)
        assert (status, failed_status) == (200, 200) and found["warnings"] == []
        assert [warning["code"] for warning in failed["warnings"]] == ["embedding_unavailable"]
        assert "the service is away" in failed["warnings"][0]["message"]
        # Each text was embedded once, not again with a connection.
        assert sorted(slow.asked) == ["a price", "fail price"]
        status, answer = running.call("search", {"query": "fail again", "mode": "semantic"})
        assert status == 500 and "the service is away" in answer["error"]["message"]
