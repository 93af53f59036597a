"""Each error has a fitting HTTP status: the caller's errors are never a 500, and never 40001, which PostgREST
retries."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest
from core.isolation.world import Gateway as Roles
from core.isolation.world import World
from core.postgrest.calls import CALLS, READ, TEXT, VECTOR, Caller

from support.api import ADMINISTRATIVE
from support.postgrest import Gateway, sign, token_for

pytestmark = [pytest.mark.any_version, pytest.mark.long]
SQL = Path(__file__).parents[3] / "sql"

# For each SQLSTATE that sql/ raises, these requests cause it, each with its HTTP status.
RAISED: dict[str, list[tuple[str, dict[str, Any], int]]] = {
    "22023": [
        ("hybrid_search", {**READ}, 400),
        ("hybrid_search", {**TEXT, "match_count": 0}, 400),
        ("hybrid_search", {**TEXT, "fusion": "sum"}, 400),
        ("hybrid_search", {**TEXT, "options": {"unknown": 1}}, 400),
        ("hybrid_search", {**TEXT, "filters": {"year": {"$near": 1}}}, 400),
        ("semantic_search", {**READ, "query_embedding": [1, 0]}, 400),
        ("full_text_search", {**TEXT, "match": "most"}, 400),
        ("upsert_documents", {"documents": {"external_id": "x"}}, 400),
        ("upsert_document", {"external_id": ""}, 400),
        ("facets", {**READ, "keys": []}, 400),
    ],
    "42704": [
        ("hybrid_search", {"query_text": "a", "collection": "nowhere"}, 400),
        ("similar_documents", {**READ, "external_id": "nothing"}, 400),
        ("highlight", {"chunk_id": 0, "query_text": "a"}, 400),
    ],
    "2201B": [("grep", {**READ, "pattern": "(a", "regex": True}, 400)],
    # PostgREST 12.2 and later give 500.
    "54000": [("upsert_document", {**READ, "external_id": "x", "title": "x" * 4097}, 413)],
    "42501": [("create_tenant", {"tenant": "mine"}, 403)],
    "0A000": [("rebuild_index", READ, 400)],  # the role below makes this call
}
# This error is internal: sql/ catches it where it is raised.
CAUGHT = {"BR001"}
# This error needs another transaction that holds a lock: see isolation/test_locks.py.
LOCKED = {"55P03"}
# This error needs a read-only transaction: see standby/test_functions.py.
READ_ONLY = {"25006"}


@pytest.fixture(scope="module")
def tenant() -> str:
    return "alpha"


def test_every_sqlstate_has_a_request() -> None:
    raised = {state for file in SQL.rglob("*.sql") for state in re.findall(r"errcode = '(\w+)'", file.read_text())}
    assert raised - CAUGHT - LOCKED - READ_ONLY == RAISED.keys(), "add to RAISED a request that gets each SQLSTATE"
    assert "40001" not in raised


@pytest.mark.parametrize(
    ("state", "function", "body", "status"),
    [(state, *request) for state, requests in RAISED.items() for request in requests],
)
def test_what_is_raised(
    http: Gateway,
    tokens: dict[bool, str],
    repeatable_reader: str,
    state: str,
    function: str,
    body: dict[str, Any],
    status: int,
) -> None:
    token = token_for("alpha", repeatable_reader) if state == "0A000" else tokens[False]
    answer = http.post(function, body, token)
    assert (answer.status, answer.code) == (status, state), answer
    assert answer.data["message"]
    assert answer.data["hint"] or answer.data["message"].startswith("permission denied for function")


@pytest.mark.parametrize(
    ("embedding", "code"),
    [("{1,0,0}", "22P02"), ([1, None, 3], "22P02"), ("x", "22P02"), ([], "22000"), ([0, 0, 0], "22023")],
)
def test_what_pgvector_refuses(http: Gateway, tokens: dict[bool, str], embedding: Any, code: str) -> None:
    answer = http.post("semantic_search", {**VECTOR, "query_embedding": embedding}, tokens[False])
    assert (answer.status, answer.code) == (400, code)


def test_a_timeout_is_the_servers_and_leaves_nothing(http: Gateway, tokens: dict[bool, str], hasty: str) -> None:
    """A timeout is the only 500, and the pool's connection serves the next request normally."""
    body = {"external_id": "hasty", "content": "Many words, one after the other. " * 20_000, **READ}
    answer = http.post("upsert_document", body, token_for("alpha", hasty))
    assert (answer.status, answer.code) == (500, "57014")
    assert http.post("delete_document", {"external_id": "hasty", **READ}, tokens[False]).data is False
    assert http.post("check_index", READ, tokens[False]).data == []


HOSTILE: list[Any] = [
    None,
    "",
    "x'; drop table braid_store.chunks; --",
    "\u0000",
    "\ud83d\ude00" * 100,
    -1,
    2**63,
    1e308,
    True,
    [],
    [None],
    ["a", 1],
    {},
    {"$or": [{"$not": {"a": {"$gt": None}}}]},
]
# calibrate has no arguments, and set_access changes the tenant of the next request.
LEFT_OUT = {"calibrate", "set_access"}


@pytest.mark.parametrize("function", sorted(CALLS.keys() - LEFT_OUT))
def test_hostile_arguments(world: World, http: Gateway, caller: Caller, tokens: dict[bool, str], function: str) -> None:
    """Each argument in turn gets each hostile value; the others stay valid."""
    row = world.admin.execute(
        "select coalesce(proargnames[:pronargs], '{}') from pg_proc"
        " where pronamespace = 'braid'::regnamespace and proname = %s",
        (function,),
    ).fetchone()
    assert row is not None
    good = CALLS[function].body_for(caller)
    for argument in row[0]:
        for value in HOSTILE:
            answer = http.post(function, {**good, argument: value}, tokens[function in ADMINISTRATIVE])
            # Status 413 means that the value is too long.
            is_too_long = (answer.status, answer.code) == (413, "54000")
            assert answer.status in (200, 204, 400, 409) or is_too_long, (argument, value, answer)
            assert answer.code not in ("40001", "XX000"), (argument, value, answer)


def test_a_query_may_be_long_and_is_answered(http: Gateway, tokens: dict[bool, str]) -> None:
    for text in ("discount " * 20_000, "(" * 50_000, '"' * 50_001, "a" * 1_000_000):
        answer = http.post("hybrid_search", {**READ, "query_text": text}, tokens[False])
        assert answer.status in (200, 400), answer
        assert answer.status == 200 or answer.code in ("22023", "54000"), answer


def test_a_filter_may_be_deep_and_is_answered(http: Gateway, tokens: dict[bool, str]) -> None:
    filters: dict[str, Any] = {"speaker": "Ana"}
    for _ in range(300):
        filters = {"$not": filters}
    answer = http.post("hybrid_search", {**TEXT, "filters": filters}, tokens[False])
    assert answer.status in (200, 400), answer


def refused(http: Gateway, token: str | None) -> tuple[int, str | None]:
    answer = http.post("hybrid_search", TEXT, token)
    assert answer.status >= 400, answer
    return answer.status, answer.code


def test_tokens_that_do_not_hold(http: Gateway, gateway: Roles) -> None:
    role, claims = gateway.authenticated, {"app_metadata": {"tenant_id": "alpha"}}
    good = {"role": role, **claims}
    header, payload, signature = sign(good).split(".")
    _, other, _ = sign({"role": role, "app_metadata": {"tenant_id": "beta"}}).split(".")
    now = int(time.time())
    assert http.post("hybrid_search", TEXT, sign({**good, "exp": now + 60})).status == 200
    for token in (
        sign({**good, "exp": now - 60}),
        sign({**good, "nbf": now + 600}),
        sign(good, secret="another secret of thirty-two characters"),
        sign(good, algorithm="none"),
        f"{header}.{other}.{signature}",
        f"{header}.{payload}.",
        "x",
    ):
        assert refused(http, token) == (401, "PGRST301")


def test_tokens_of_no_tenant(http: Gateway, gateway: Roles) -> None:
    role = gateway.authenticated
    wrong: list[dict[str, Any]] = [
        {},
        {"app_metadata": {}},
        {"app_metadata": {"tenant_id": None}},
        {"app_metadata": {"tenant_id": ""}},
        {"app_metadata": {"tenant_id": "no such tenant"}},
        {"app_metadata": {"tenant_id": ["alpha"]}},
        {"app_metadata": "alpha"},
        {"tenant_id": "alpha", "user_metadata": {"tenant_id": "alpha"}, "sub": "alpha"},
    ]
    for claims in wrong:
        assert refused(http, sign({"role": role, **claims})) == (403, "42501")


def test_a_header_is_for_trusted_roles(http: Gateway, gateway: Roles) -> None:
    header = {"x_braid_tenant": "beta"}
    user = http.post("status", {}, token_for("alpha", gateway.authenticated), **header)
    assert user.data["tenant"] == "alpha"
    service = http.post("status", {}, sign({"role": gateway.service_role}), **header)
    assert service.data["tenant"] == "beta"


def test_who_needs_the_header_is_told_its_name(http: Gateway, gateway: Roles) -> None:
    answer = http.post("status", {}, sign({"role": gateway.service_role}))
    assert (answer.status, answer.code) == (403, "42501")
    assert "x-braid-tenant" in answer.data["hint"]


def test_roles_that_are_not_the_gateways(http: Gateway) -> None:
    """A correctly signed token for another role of the server is refused."""
    for role in ("postgres", "braid_owner", "braid_definer", "pg_read_all_data", "no such role"):
        answer = http.post("hybrid_search", TEXT, token_for("alpha", role))
        assert answer.status in (400, 401, 403), answer
        assert answer.code in ("42501", "22023")
