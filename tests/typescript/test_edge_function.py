"""The Edge Function, type-checked, compiled and run by Node in front of PostgREST and an embedding service."""

from __future__ import annotations

import http.server
import json
import subprocess
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from helpers import HashEmbedder, npm, postgrest
from pgbraid import embedded
from typescript.conftest import FUNCTIONS, Compile

pytestmark = pytest.mark.any_version

# What the platform gives a function, as far as this one uses it.
RUNTIME = """
import http from 'node:http'

const { PORT, ...given } = process.env
globalThis.Deno = {
  env: { get: (name) => given[name] },
  serve: (handler) => http.createServer(async (incoming, outgoing) => {
    const chunks = []
    for await (const chunk of incoming) chunks.push(chunk)
    const { method, headers, url } = incoming
    const request = new Request(new URL(url, 'http://localhost'), { method, headers, body: Buffer.concat(chunks) })
    const response = await handler(request)
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    outgoing.end(await response.text())
  }).listen(0, '127.0.0.1', function () { console.log(this.address().port) }),
}
globalThis.WebSocket ??= class {}  // Node before 22 has none
// Supabase's own gateway takes /rest/v1 away.
const fetched = globalThis.fetch
globalThis.fetch = (address, options) => fetched(String(address).replace('/rest/v1', ''), options)
await import('./function.mjs')
"""


class Service(http.server.BaseHTTPRequestHandler):
    """Speaks OpenAI's POST /embeddings; answers in another order than asked, as it may."""

    inputs: list[str]
    broken = False

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert self.path == "/v1/embeddings" and self.headers["Authorization"] == "Bearer key"
        assert asked["model"] == "hash"
        type(self).inputs.extend(asked["input"])
        vectors = HashEmbedder().embed_documents(asked["input"])
        data = [{"index": n, "embedding": [float(x) for x in vector]} for n, vector in enumerate(vectors)]
        self.send_response(503 if type(self).broken else 200)
        self.end_headers()
        self.wfile.write(json.dumps({"data": data[::-1]}).encode())

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def service() -> Iterator[tuple[type[Service], str]]:
    kind = type("OneService", (Service,), {"inputs": []})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), kind)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield kind, f"http://127.0.0.1:{server.server_port}/v1/"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def javascript(tsc: Compile, packages: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The function as Node takes it, beside its packages."""
    out = tmp_path_factory.mktemp("javascript")
    source = FUNCTIONS / "embed" / "index.ts"
    done = tsc(out, source)
    assert done.returncode == 0, done.stdout
    code = (out / source.relative_to("/")).with_suffix(".js").read_text()
    code = code.replace("import 'jsr:@supabase/functions-js/edge-runtime.d.ts';", "")
    code = code.replace("npm:@supabase/supabase-js@2", "@supabase/supabase-js")
    folder = packages / "function"
    folder.mkdir(exist_ok=True)
    (folder / "function.mjs").write_text(code)
    (folder / "runtime.mjs").write_text(RUNTIME)
    return folder / "runtime.mjs"


@contextmanager
def started(script: Path, **environment: str) -> Iterator[str]:
    process = subprocess.Popen(
        ["node", script],
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", **environment},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
    finally:
        process.kill()
        process.communicate()


def post(url: str, body: Any, token: str, **headers: str) -> tuple[int, Any]:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json", **headers}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


DOCUMENTS = [
    {"external_id": "a", "content": "They object to the price per seat."},
    {"external_id": "b", "content": "Lunch is soup on Monday."},
    {"external_id": "c", "content": "The seat is by the window."},
]


def test_it_embeds_documents_and_queries(
    db: psycopg.Connection[Any],
    dsn: str,
    server: embedded.Server,
    make_login: Any,
    javascript: Path,
    service: tuple[type[Service], str],
) -> None:
    user, anonymous = make_login("authenticated", "braid_writer"), make_login("anon", "braid_reader")
    login = make_login("authenticator", user, anonymous, options="noinherit")
    db.execute(f'grant braid_gateway to "{login}" with inherit true')
    db.execute("select braid.create_tenant('acme'), braid.create_tenant('other')")
    db.execute("select braid.create_collection('notes', dimensions => 384, embedding_model => 'hash')")
    kind, url = service
    token = postgrest.token_for("acme", user)
    with (
        postgrest.running(npm.postgrest(), dsn, login, anonymous) as api,
        started(
            javascript,
            SUPABASE_URL=api.url,
            SUPABASE_ANON_KEY=postgrest.sign({"role": anonymous}),
            EMBEDDING_URL=url,
            EMBEDDING_MODEL="hash",
            EMBEDDING_API_KEY="key",
        ) as function,
    ):
        assert api.post("upsert_documents", {"documents": DOCUMENTS, "collection": "notes"}, token).status == 200
        embed = {"embed": {"collection": "notes", "job_count": 2}}
        assert post(function, embed, postgrest.token_for("other", user)) == (200, {"claimed": 0, "stored": 0})
        answers = [post(function, embed, token) for _ in range(3)]
        assert answers == [(200, {"claimed": count, "stored": count}) for count in (2, 1, 0)]
        assert sorted(kind.inputs) == sorted(document["content"] for document in DOCUMENTS)

        kind.inputs.clear()
        asked = {"search": {"query_text": 'objec* +price -lunch "per seat"', "collection": "notes"}}
        status, found = post(function, asked, token)
        assert kind.inputs == ["objec price per seat"]
        assert (status, found["warnings"]) == (200, [])
        assert [row["external_id"] for row in found["results"]] == ["a"]
        assert found["results"][0]["semantic_rank"] == 1 and found["stats"]["mode"] == "hybrid"

        kind.broken = True
        status, found = post(function, asked, token)
        assert (status, [warning["code"] for warning in found["warnings"]]) == (200, ["embedding_unavailable"])
        assert [row["external_id"] for row in found["results"]] == ["a"]
        api.post("upsert_document", {"external_id": "d", "content": "New.", "collection": "notes"}, token)
        status, failed = post(function, embed, token)
        assert status == 502 and "503" in failed["message"]
        waiting = db.execute("select attempts, last_error from braid_store.embedding_jobs").fetchall()
        assert [(attempts, "503" in error) for attempts, error in waiting] == [(1, True)]

        for body, who, status in (
            ({"search": {"query_text": "a", "collection": "nowhere"}}, token, 400),
            ({"embed": {"collection": "default"}}, token, 400),  # of another model
            (asked, postgrest.sign({"role": user}), 403),
            ({}, token, 400),
        ):
            assert post(function, body, who)[0] == status, body
