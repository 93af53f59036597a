"""Check that code copied from the page runs and finds the page's results."""

from __future__ import annotations

import contextlib
import io
import json
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from functools import partial
from typing import Any

import psycopg
import pytest
from tools.workbench.conftest import Workbench, serving

import pgbraid
from support import HashEmbedder
from support.waiting import PATIENCE

pytestmark = pytest.mark.any_version

NASTY = """it's a "price" \\ :'x' $$ %s ${HOME} `id` <b>
second line"""
SEARCHES: list[dict[str, Any]] = [
    {"query": "price discount"},
    {"query": "price discount", "mode": "full_text", "match_count": 3, "match": "all"},
    {"query": "small teams", "mode": "semantic", "match_count": 3},
    {"query": "price", "timeframe": "2026-02", "mode": "full_text"},
    {"query": "what did Ana say about price in March 2026", "timeframe": "auto"},
    {"query": "price", "full_text_weight": 0.25, "semantic_weight": 1, "fusion": "rrf"},
    {"query": "price", "filters": {"speaker": {"$in": ["Ana", "Ben"]}}, "options": {"group_by": "document"}},
    {"query": NASTY, "filters": {"team": {"$ne": NASTY}}},
    {"query": NASTY, "mode": "full_text"},
    {"query": "price", "filters": {"__proto__": {"$ne": "x"}, "team": {"$in": ["north", "south"]}}},
]


@pytest.fixture(scope="module")
def connection(filled: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(filled, autocommit=True) as opened:
        yield opened


def found(workbench: Workbench, search: dict[str, Any]) -> list[tuple[str, float]]:
    return [(row["external_id"], row["score"]) for row in workbench.given("search", search)["results"]]


@pytest.mark.parametrize("search", SEARCHES)
def test_sql_finds_the_same(workbench: Workbench, connection: psycopg.Connection[Any], search: dict[str, Any]) -> None:
    copied = workbench.given("copies", search)["sql"]
    # Without parameters, psycopg leaves a percent sign as it is.
    rows = connection.execute(copied.encode()).fetchall()
    assert [(row[0], row[2]) for row in rows] == found(workbench, search) != []


@pytest.mark.parametrize("search", SEARCHES)
def test_python_finds_the_same(
    workbench: Workbench, filled: str, search: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The client gets this database and embedder instead of PGBRAID_DSN and the offline model.
    monkeypatch.setattr(pgbraid, "connect", partial(pgbraid.connect, filled, embedder=HashEmbedder()))
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(workbench.given("copies", search)["python"], {})
    rows = workbench.given("search", search)["results"]
    for row in rows:
        assert f"{row['score']:.3f} {row['external_id']}: " in printed.getvalue()
    first = [f"{row['score']:.3f} {row['external_id']}: " for row in rows]
    assert printed.getvalue().startswith(first[0]) and rows


def body_of(curl: str) -> tuple[str, dict[str, Any]]:
    """Return the function of a curl command and its arguments, read as a shell reads them."""
    words = shlex.split(curl, comments=True)
    url = next(word for word in words if "/rpc/" in word)
    assert words[0] == "curl" and url.startswith("$REST_URL/rpc/")
    headers = [words[place + 1] for place, word in enumerate(words) if word == "--header"]
    assert {"Content-Profile: braid", "Content-Type: application/json"} <= set(headers)
    return url.rpartition("/")[2], json.loads(words[words.index("--data") + 1])


@pytest.mark.parametrize("search", SEARCHES)
def test_curl_calls_the_function_as_postgrest_does(
    workbench: Workbench, connection: psycopg.Connection[Any], search: dict[str, Any]
) -> None:
    function, body = body_of(workbench.given("copies", search)["curl"])
    types = connection.execute(
        """
        select n.name, format_type(t.oid, null)
        from pg_proc p, unnest(p.proargnames, p.proargtypes::oid[]) n (name, type), pg_type t
        where p.pronamespace = 'braid'::regnamespace and p.proname = %s and t.oid = n.type
        """,
        [function],
    ).fetchall()
    known = dict(types)
    assert body.keys() <= known.keys()
    columns = ", ".join(f"{name} {known[name]}" for name in body)
    arguments = ", ".join(f"{name} => given.{name}" for name in body)
    # PostgREST runs this statement for a call with a body.
    called = f"select r.external_id, r.score from json_to_record(%s) given ({columns}), braid.{function}({arguments}) r"
    rows = connection.execute(called.encode(), [json.dumps(body)]).fetchall()
    assert rows == found(workbench, search)


def test_supabase_js_sends_what_curl_sends(workbench: Workbench) -> None:
    if not shutil.which("node"):
        pytest.skip("node is not installed: JavaScript cannot run")
    script = [
        "const calls = []",
        "const answer = (call) => (calls.push(call), { data: [], error: null })",
        "const client = { schema: (name) => ({ rpc: async (function_, body) => answer([name, function_, body]) }) }",
        "const createClient = () => client",
    ]
    copies = [workbench.given("copies", search) for search in SEARCHES]
    for copied in copies:
        imported, _, rest = copied["supabase-js"].partition("\n")
        assert imported == "import { createClient } from '@supabase/supabase-js'"
        script.append(f"{{ {rest} }}")
    script.append("console.log(JSON.stringify(calls))")
    command = ["node", "--input-type=module", "--eval", "\n".join(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [["braid", *body_of(copied["curl"])] for copied in copies]


def test_of_another_tenant(filled: str, connection: psycopg.Connection[Any]) -> None:
    with serving(filled, "other") as other:
        copied = other.given("copies", {"query": "price", "mode": "full_text"})
    assert "pgbraid.connect(tenant='other')" in copied["python"]
    with psycopg.connect(filled, autocommit=True) as session:
        cursor = session.execute(copied["sql"].encode())
        assert cursor.nextset()
        assert {row[0] for row in cursor} == {"hidden-1", "hidden-2"}
