"""Check who may ask the workbench for what, and how it answers."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator

import psycopg
import pytest
from tools.workbench.conftest import Workbench, serving

pytestmark = pytest.mark.any_version

READING = ["session", "search", "explain", "similar", "context", "facets", "copies", "query_sets", "evaluate"]
PRICE = {"query": "price", "mode": "full_text"}


@pytest.fixture(scope="module")
def other(filled: str) -> Iterator[Workbench]:
    with serving(filled, "other") as running:
        yield running


@pytest.mark.parametrize("name", READING)
@pytest.mark.parametrize("token", [None, "", "Bearer", "Bearer x", "Basic {}", "Bearer {}x", "{}"])
def test_every_request_needs_the_token(workbench: Workbench, name: str, token: str | None) -> None:
    given = None if token is None else token.format(workbench.token)
    status, answer = workbench.call(name, Authorization=given)
    assert status == 401
    assert workbench.token not in json.dumps(answer) and "pgbraid workbench" in answer["error"]["hint"]


@pytest.mark.parametrize("path", ["/api/session?token={}", "/?token={}"])
def test_a_token_in_the_query_is_none(workbench: Workbench, path: str) -> None:
    status, _, _ = workbench.request("POST", path.format(workbench.token), {}, Authorization=None)
    assert status in (401, 405)


@pytest.mark.parametrize(
    "host", ["evil.com", "evil.com:8760", "127.0.0.1.evil.com", "", "0.0.0.0", "a@127.0.0.1", "[::2]"]
)
@pytest.mark.parametrize("path", ["/", "/app.js", "/api/session"])
def test_other_names_are_refused(workbench: Workbench, host: str, path: str) -> None:
    """A page from a name that was made to point here sends that name, and is refused."""
    status, _, body = workbench.request("POST" if path.startswith("/api") else "GET", path, Host=host)
    assert status in (400, 421) and b"<script" not in body


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:9", "[::1]:8760"])
def test_names_of_the_loopback_interface_are_known(workbench: Workbench, host: str) -> None:
    assert workbench.call("session", Host=host)[0] == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example.com"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "http://localhost"},
        {"Origin": "http://["},
        {"Origin": "http://[", "Authorization": None},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
        {"Sec_Fetch_Site": "cross-site", "Origin": None},
    ],
)
def test_requests_of_other_sites_are_refused(workbench: Workbench, headers: dict[str, str | None]) -> None:
    status, sent, body = workbench.request("POST", "/api/search", PRICE, **headers)
    assert status == 403 and "frame-ancestors 'none'" in sent["content-security-policy"]
    assert "must pass the header Host on" in json.loads(body)["error"]["hint"]


def test_requests_of_its_own_page_are_taken(workbench: Workbench) -> None:
    assert workbench.call("search", PRICE, Origin=workbench.url, Sec_Fetch_Site="same-origin")[0] == 200


@pytest.mark.parametrize("kind", [None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_what_a_form_can_send_is_refused(workbench: Workbench, kind: str | None) -> None:
    assert workbench.call("search", PRICE, Content_Type=kind)[0] == 415


def test_a_page_is_no_way_in(workbench: Workbench) -> None:
    for path in ("/", "/app.js", "/style.css"):
        status, headers, body = workbench.request("GET", path, Authorization=None)
        assert status == 200 and workbench.token.encode() not in body
        assert headers["cache-control"] == "no-store" and "access-control-allow-origin" not in headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy and "http" not in policy
        assert (headers["x-content-type-options"], headers["referrer-policy"]) == ("nosniff", "no-referrer")
    for path in ("/server.py", "/../server.py", "/%2e%2e/server.py", "//etc/passwd", "/static/app.js", "/api/"):
        assert workbench.request("GET", path, Authorization=None)[0] in (401, 404)
    assert workbench.request("GET", "/api/session")[0] == 405


def test_bodies_have_a_limit(workbench: Workbench) -> None:
    assert workbench.call("search", {"query": "x" * 1_000_001})[0] == 413
    # A chunked body has no length in its head (RFC 9112, 7.1).
    with socket.create_connection(("127.0.0.1", workbench.port), 30) as connection:
        head = (
            f"POST /api/search HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {workbench.token}\r\n"
            "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        connection.sendall(head.encode())
        for _ in range(12):
            connection.sendall(b"186a0\r\n" + b" " * 100_000 + b"\r\n")
        assert b" 413 " in connection.recv(100)


@pytest.mark.parametrize(
    ("name", "body", "status", "said"),
    [
        ("search", b"{", 400, "JSON object"),
        ("search", b"[" * 100_000, 400, "JSON object"),
        ("search", b"[]", 400, "JSON object"),
        ("search", b"\xff", 400, "JSON object"),
        ("search", {"query": 5}, 400, "query is 5"),
        ("search", {"query": "a\u0000b"}, 400, ""),
        ("search", {"query": "\ud800"}, 400, "Unicode"),
        ("search", {"quary": "price"}, 400, "'quary' is no argument"),
        ("search", {"query": "price", "mode": "best"}, 400, "mode is 'best'"),
        ("search", {"query": "price", "limit": 5}, 400, "its name is now: match_count"),
        ("search", {"query": "price", "match_count": 1000}, 400, "match_count is 1000"),
        ("search", {"query": "price", "match_count": True}, 400, "match_count is True"),
        ("search", {"query": "price", "full_text_weight": -1}, 400, "full_text_weight"),
        ("search", {"query": "price", "filters": {"speaker": {"$near": 1}}}, 400, "$near"),
        ("search", {"query": "price", "options": {"grup_by": "document"}}, 400, "grup_by"),
        ("search", {"query": "price", "collection": "none"}, 404, "none"),
        ("search", {"query": "price", "timeframe": "someday"}, 400, "someday"),
        ("similar", {"chunk_id": 10**30}, 400, "chunk_id"),
        ("similar", {}, 400, "chunk_id is missing"),
        ("context", {"external_id": "call-1", "chunk_index": 0, "around": 5000}, 400, "around is 5000"),
        ("nothing", {}, 404, ""),
    ],
)
def test_what_is_wrong_is_told(workbench: Workbench, name: str, body: object, status: int, said: str) -> None:
    found, _, text = workbench.request("POST", f"/api/{name}", body)
    assert found == status, text
    if said:
        error = json.loads(text)["error"]
        assert said in f"{error['message']} {error['hint']}" and "Traceback" not in text.decode()


def test_nothing_is_written(workbench: Workbench, filled: str) -> None:
    """Nothing is written even if searches are logged and vectors of queries stored."""
    with psycopg.connect(filled, autocommit=True) as connection:
        connection.execute("select braid.set_search_log('default', 'all')")
        connection.execute("select braid.set_query_embeddings('default', 10)")
        try:
            workbench.given("search", {"query": "a price that nobody asked for"})
            workbench.given("search", {"query": "a price that nobody asked for", "timeframe": "2026"})
            logged = connection.execute("select count(*) from braid.search_log").fetchone()
            status = connection.execute("select braid.status('default')").fetchone()
        finally:
            connection.execute("select braid.set_search_log('default', 'off')")
            connection.execute("select braid.set_query_embeddings('default', 0)")
    assert logged == (0,) and status is not None
    assert status[0]["collections"][0]["query_embeddings"] == 0


def test_two_tenants(workbench: Workbench, other: Workbench) -> None:
    own = {row["external_id"] for row in workbench.given("search", {"query": "price"})["results"]}
    others = {row["external_id"] for row in other.given("search", {"query": "price"})["results"]}
    assert own and others == {"hidden-1", "hidden-2"} and not own & others
    assert workbench.given("session")["tenant"] == "default" and other.given("session")["tenant"] == "other"
    # A workbench refuses the other's token.
    assert workbench.call("session", Authorization=f"Bearer {other.token}")[0] == 401
    said = [
        workbench.given("facets"),
        workbench.given("explain", {**PRICE, "external_id": "hidden-1"})["document"],
        workbench.given("context", {"external_id": "hidden-1", "chunk_index": 0}),
        workbench.given("session"),
    ]
    assert said[1]["outcome"] == "absent"
    assert "Hidden" not in json.dumps(said) and "hidden_key" not in json.dumps(said) and "Dana" not in json.dumps(said)
    (chunk,) = [row for row in other.given("search", {"query": "only"})["results"] if row["external_id"] == "hidden-1"]
    assert workbench.call("similar", {"chunk_id": chunk["chunk_id"]})[0] == 404
