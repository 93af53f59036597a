"""supabase-js can call every function of the API."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from typing import Any

import pytest
from core.postgrest.calls import CALLS, TEXT, VECTOR, Caller

from support import npm
from support.api import ADMINISTRATIVE
from support.postgrest import Gateway
from support.waiting import PATIENCE

pytestmark = [pytest.mark.any_version, pytest.mark.long]

SCRIPT = """
import { createClient } from '@supabase/supabase-js'

const { url, tokens, calls } = JSON.parse(process.argv[2])
// Supabase's own gateway takes /rest/v1 away.
const direct = (address, options) => fetch(String(address).replace('/rest/v1', ''), options)
const client = (token) => createClient(url, token, {
  auth: { persistSession: false },
  global: { fetch: direct },
  realtime: { transport: class {} },  // Node before 22 has no WebSocket
}).schema('braid')
const clients = tokens.map(client)
const answers = []
for (const { who, name, body, then } of calls) {
  let request = clients[who].rpc(name, body)
  for (const [method, ...rest] of then) request = request[method](...rest)
  const { data, error, status, count } = await request
  answers.push({ data, error, status, count })
}
console.log(JSON.stringify(answers))
"""

Run = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def supabase_js(http: Gateway, tokens: dict[bool, str]) -> Run:
    """Return `run((function, body, *chained), administrator=False)`, which returns supabase-js's answer to each
    call."""
    script = npm.installed(npm.SUPABASE_JS) / "calls.mjs"
    script.write_text(SCRIPT)

    def run(*calls: tuple[Any, ...]) -> list[dict[str, Any]]:
        made = [
            {"who": int(name in ADMINISTRATIVE), "name": name, "body": body, "then": then}
            for name, body, *then in calls
        ]
        given = {"url": http.url, "tokens": [tokens[False], tokens[True]], "calls": made}
        done = subprocess.run(
            ["node", script, json.dumps(given)],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            stdin=subprocess.DEVNULL,
        )
        assert done.returncode == 0, done.stderr
        return list(json.loads(done.stdout))

    return run


def test_every_function(supabase_js: Run, caller: Caller) -> None:
    answers = supabase_js(*((name, call.body_for(caller)) for name, call in CALLS.items()))
    for (name, call), answer in zip(CALLS.items(), answers, strict=True):
        assert answer["error"] is None, (name, answer)
        assert call.expected(answer["data"], caller), (name, answer)


def test_warnings_counts_and_errors_reach_the_caller(supabase_js: Run, caller: Caller) -> None:
    json_answer, selected, wrong, single = supabase_js(
        ("search_json", {**TEXT, **VECTOR, "filters": {"speaker": f"{caller.tenant}speaker"}}),
        ("hybrid_search", TEXT, ("select", "external_id"), ("order", "external_id", {"ascending": False})),
        ("hybrid_search", {**TEXT, "filters": "speaker"}),
        ("hybrid_search", {**TEXT, "match_count": 1}, ("single",)),
    )
    assert [warning["code"] for warning in json_answer["data"]["warnings"]] == ["chunks_not_embedded"]
    assert [row["external_id"] for row in json_answer["data"]["results"]] == ["doc1"]
    assert selected["data"] == [{"external_id": "doc2"}, {"external_id": "doc1"}]
    assert (wrong["status"], wrong["error"]["code"]) == (400, "22023")
    assert "filters" in wrong["error"]["message"] and wrong["error"]["hint"]
    assert single["data"]["external_id"] == "doc2"
