"""Type-check, compile and run the Edge Function by Node, with PostgREST and an embedding service."""

from __future__ import annotations

import http.client
import http.server
import json
import select
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest

from integrations.typescript.conftest import FUNCTIONS, Compile
from support import HashEmbedder, api_gateway, npm, postgrest
from support.waiting import PATIENCE, until

pytestmark = pytest.mark.any_version

# Stand-ins for the parts of the platform that the function uses.
RUNTIME = """
import http from 'node:http'

const { PORT, ...given } = process.env
globalThis.Deno = {
  env: { get: (name) => given[name] },
  serve: (handler) => http.createServer(async (incoming, outgoing) => {
    const chunks = []
    for await (const chunk of incoming) chunks.push(chunk)
    const { method, headers, url } = incoming
    const body = chunks.length ? Buffer.concat(chunks) : undefined
    const response = await handler(new Request(new URL(url, 'http://localhost'), { method, headers, body }))
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    const reader = response.body?.getReader()
    outgoing.on('close', () => reader?.cancel())
    for (let part; reader && !(part = await reader.read()).done; ) outgoing.write(part.value)
    outgoing.end()
  }).listen(0, '127.0.0.1', function () { console.log(this.address().port) }),
}
globalThis.Supabase = { ai: { Session: class {
  constructor(model) { this.model = model }
  async run(text, options) {
    if (this.model !== 'gte-small' || !options.mean_pool || !options.normalize) throw new Error('asked wrongly')
    if (text.includes('REFUSED')) throw new Error('the model failed')
    return Array.from({ length: 384 }, (_, n) => n === text.length ? 1 : 0)
  }
} } }
globalThis.WebSocket ??= class {}  // Node before 22 has none
await import('./function.mjs')
"""


class Service(http.server.BaseHTTPRequestHandler):
    """Answer OpenAI's POST /embeddings in another order than requested, as a service may. Refuse a request with a
    text that holds REFUSED, and return zeros for a text that holds ZERO."""

    inputs: list[list[str]]
    # The next answers use up these statuses; further answers have `status`.
    statuses: list[int]
    status = 200
    dimensions = 384
    # Answers wait until this event is set; `given_up` counts clients that do not wait.
    opened: threading.Event
    given_up = 0

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert self.path == "/v1/embeddings" and self.headers["Authorization"] == "Bearer key"
        assert asked["model"] == "hash"
        type(self).inputs.append(asked["input"])
        while not self.opened.wait(0.01):
            if select.select([self.connection], [], [], 0)[0]:
                type(self).given_up += 1
                return
        vectors = HashEmbedder().embed_documents(asked["input"])[:, : self.dimensions]
        data = [
            {"index": n, "embedding": [0.0 if "ZERO" in text else float(x) for x in vector]}
            for n, (text, vector) in enumerate(zip(asked["input"], vectors, strict=True))
        ]
        refused = any("REFUSED" in text for text in asked["input"])
        status = self.statuses.pop(0) if self.statuses else type(self).status
        self.send_response(400 if refused else status)
        self.end_headers()
        answer = {"error": {"message": "too long"}} if refused else {"data": data[::-1]}
        self.wfile.write(json.dumps(answer).encode())

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def service() -> Iterator[tuple[type[Service], str]]:
    opened = threading.Event()
    opened.set()
    kind = type("OneService", (Service,), {"inputs": [], "statuses": [], "opened": opened})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), kind)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield kind, f"http://127.0.0.1:{server.server_port}/v1/"
    opened.set()
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def javascript(tsc: Compile, packages: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile the function to JavaScript beside its packages; return its path."""
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


def send(url: str, body: Any, headers: dict[str, str], method: str = "POST") -> tuple[int, Any, Any]:
    """Send a request; return the answer's status, headers and JSON body. A `body` of bytes is sent unchanged."""
    data = body if isinstance(body, bytes) or body is ... else json.dumps(body).encode()
    request = urllib.request.Request(url, None if data is ... else data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            text = answer.read()
            return answer.status, answer.headers, json.loads(text) if text else None
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers, json.load(error)


@dataclass(frozen=True)
class Deployed:
    """Send requests to the Edge Function."""

    url: str
    gateway: api_gateway.ApiGateway
    api: postgrest.Gateway
    user: str
    administrator: str
    service: type[Service]

    def token(self, tenant: str = "acme", **claims: Any) -> str:
        return postgrest.token_for(tenant, self.user, **claims)

    def post(self, body: Any, token: str | None = None, **headers: str) -> tuple[int, Any]:
        """Send a request with a user's token or, if given, with these headers."""
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        if not headers:
            given = {"Authorization": f"Bearer {token or self.token()}"}
        status, _, answer = send(self.url, body, given)
        return status, answer

    def lines(self, body: Any) -> Generator[dict[str, Any], None, None]:
        """Yield the lines of a search as they come. Closing the generator ends the request."""
        headers = {"Authorization": f"Bearer {self.token()}", "Accept": "application/x-ndjson"}
        with closing(http.client.HTTPConnection(self.url.removeprefix("http://"), timeout=PATIENCE)) as connection:
            connection.request("POST", "/", json.dumps(body), headers)
            answer = connection.getresponse()
            assert (answer.status, answer.getheader("Content-Type")) == (200, "application/x-ndjson"), answer.read()
            for line in answer:
                yield json.loads(line)

    def write(self, *texts: str, collection: str = "notes") -> None:
        documents = [{"external_id": text[:20], "content": text} for text in texts]
        answer = self.api.post("upsert_documents", {"documents": documents, "collection": collection}, self.token())
        assert answer.status == 200, answer


SECRET, PUBLISHABLE = "sb_secret_one", "sb_publishable_one"
Deploy = Callable[..., Deployed]


@pytest.fixture
def deploy(
    db: psycopg.Connection[Any],
    dsn: str,
    make_login: Any,
    javascript: Path,
    service: tuple[type[Service], str],
) -> Iterator[Deploy]:
    """Yield a function that starts the Edge Function with additional environment variables: `deploy(**environment)`.
    Without EMBEDDING_URL, the Edge Function uses the platform's model."""
    user, administrator = (
        make_login("authenticated", "braid_writer"),
        make_login("service_role", "braid_writer", "administrator"),
    )
    anonymous = make_login("anon", "braid_reader")
    login = make_login("authenticator", user, administrator, anonymous, "gateway", options="noinherit")
    db.execute("select braid.create_tenant('acme'), braid.create_tenant('other')")
    db.execute("select braid.set_access(trusted_claim_roles => %s)", ([administrator],))
    db.execute("select braid.create_collection('notes', dimensions => 384, embedding_model => 'hash')")
    kind, url = service
    legacy = postgrest.sign({"role": anonymous})
    tokens = {SECRET: postgrest.sign({"role": administrator}), PUBLISHABLE: legacy, legacy: legacy}
    own = {"EMBEDDING_URL": url, "EMBEDDING_MODEL": "hash", "EMBEDDING_API_KEY": "key"}
    with ExitStack() as stack:
        api = stack.enter_context(postgrest.running(npm.postgrest(), dsn, login, anonymous))
        gateway = stack.enter_context(api_gateway.running(api.port, tokens))

        def deployed(legacy_keys: bool = False, platform_model: bool = False) -> Deployed:
            keys = {"SUPABASE_ANON_KEY": legacy}
            if not legacy_keys:
                keys["SUPABASE_PUBLISHABLE_KEYS"] = json.dumps({"default": PUBLISHABLE, "other": "sb_publishable_two"})
            environment = {"SUPABASE_URL": gateway.url, **keys, **({} if platform_model else own)}
            function = stack.enter_context(started(javascript, **environment))
            return Deployed(function, gateway, api, user, administrator, kind)

        yield deployed


EMBED = {"embed": {"collection": "notes"}}


def waiting(db: psycopg.Connection[Any]) -> list[tuple[Any, ...]]:
    """Return each pending job's attempts and its last error."""
    return db.execute("select attempts, last_error from braid_store.embedding_jobs order by chunk_id").fetchall()


def test_it_embeds_documents_and_queries(db: psycopg.Connection[Any], deploy: Deploy) -> None:
    function = deploy()
    kind = function.service
    texts = ["They object to the price per seat.", "Lunch is soup on Monday.", "The seat is by the window."]
    function.write(*texts)
    embed = {"embed": {"collection": "notes", "job_count": 2}}
    assert function.post(embed, function.token("other")) == (200, {"claimed": 0, "stored": 0, "failed": []})
    answers = [function.post(embed) for _ in range(3)]
    assert answers == [(200, {"claimed": count, "stored": count, "failed": []}) for count in (2, 1, 0)]
    assert sorted(text for batch in kind.inputs for text in batch) == sorted(texts)

    kind.inputs.clear()
    asked = {"search": {"query_text": 'objec* +price -lunch "per seat"', "collection": "notes"}}
    status, found = function.post(asked)
    assert kind.inputs == [["objec price per seat"]]
    assert (status, found["warnings"]) == (200, [])
    assert [row["external_id"] for row in found["results"]] == [texts[0][:20]]
    assert found["results"][0]["semantic_rank"] == 1 and found["stats"]["mode"] == "hybrid"

    kind.status = 503
    status, found = function.post(asked)
    assert (status, [warning["code"] for warning in found["warnings"]]) == (200, ["embedding_unavailable"])
    assert [row["external_id"] for row in found["results"]] == [texts[0][:20]]
    function.write("New.", "Newer.")
    kind.inputs.clear()
    status, failed = function.post(EMBED)
    assert status == 502 and "503" in failed["message"] and failed["hint"]
    assert len(kind.inputs) == 1  # the service is down, so the function does not send each text again
    assert [(attempts, "503" in error) for attempts, error in waiting(db)] == [(1, True)] * 2


def test_the_backlogs_of_all_tenants(db: psycopg.Connection[Any], deploy: Deploy) -> None:
    function = deploy()
    all_tenants = {"embed": {"all_tenants": True, "job_count": 2}}
    secret = {"apikey": SECRET}
    nothing = {"claimed": 0, "stored": 0, "failed": [], "complete": True}
    assert function.post(all_tenants, **secret) == (200, nothing)
    db.execute("select braid.create_collection('more', dimensions => 384, embedding_model => 'hash')")
    db.execute("select braid.create_collection('elsewhere', dimensions => 384, embedding_model => 'another')")
    db.execute("select braid.create_collection('short', dimensions => 3, embedding_model => 'hash')")
    for tenant, collection, count in (
        ("acme", "notes", 5),
        ("other", "notes", 1),
        ("other", "more", 3),
        ("acme", "elsewhere", 1),
        ("other", "short", 1),
    ):
        documents = [{"external_id": str(n), "content": f"Text {n} of {tenant}."} for n in range(count)]
        given = {"documents": documents, "collection": collection}
        assert function.api.post("upsert_documents", given, function.token(tenant)).status == 200
    # Neither a user nor a tenant's key sees other tenants' pending chunks.
    assert function.post(all_tenants)[0] == 403
    assert function.post({"embed": {"all_tenants": True, "collection": "more"}}, **secret) == (
        200,
        {"claimed": 3, "stored": 3, "failed": [], "complete": True},
    )
    status, answer = function.post(all_tenants, **secret)
    # A collection whose vectors do not fit stops no other collection.
    (failed,) = answer.pop("failed")
    assert (failed["tenant"], failed["collection"], "384" in failed["error"]) == ("other", "short", True)
    assert (status, answer) == (200, {"claimed": 6, "stored": 6, "complete": False})
    counted = "select tenant, collection, waiting_count from braid.embedding_backlog() order by 1, 2"
    assert db.execute(counted).fetchall() == [("acme", "elsewhere", 1), ("other", "short", 1)]
    assert function.post({"embed": {"all_tenants": "yes"}}, **secret)[0] == 400
    # A service that is down gets one request, not one for each tenant.
    function.write("New.")
    function.service.status = 503
    function.service.inputs.clear()
    status, answer = function.post(all_tenants, **secret)
    assert (status, len(function.service.inputs)) == (502, 1)


def states(db: psycopg.Connection[Any]) -> list[str]:
    db.execute("set braid.tenant = 'acme'")
    rows = db.execute("select state from braid.list_embedding_jobs(collection => 'notes')").fetchall()
    return [state for (state,) in rows]


def test_a_service_that_refuses_everything(db: psycopg.Connection[Any], deploy: Deploy) -> None:
    """If the service also refuses a harmless text, no text is at fault."""
    function = deploy()
    function.write("One.", "Two.")
    function.service.status = 400
    status, answer = function.post(EMBED)
    assert status == 502 and "400" in answer["message"]
    assert function.service.inputs[-1] == ["warm up"]
    assert states(db) == ["paused", "paused"]
    # After a refusal and an outage, the refused text is at fault only if the service accepts the harmless text.
    for harmless, expected in ((400, "paused"), (429, "paused"), (200, "abandoned")):
        db.execute("update braid_store.embedding_jobs set claimed_until = null")
        function.service.statuses, function.service.status = [400, 400, 429], harmless
        assert function.post(EMBED)[0] == 502
        assert function.service.inputs[-3:] == [["One."], ["Two."], ["warm up"]]
        assert states(db) == [expected, "paused"]


def test_texts_that_are_refused_stop_no_others(db: psycopg.Connection[Any], deploy: Deploy) -> None:
    function = deploy()
    function.write("One.", "Two REFUSED.", "Three.", "Four ZERO.", "Five.")
    status, answer = function.post(EMBED)
    assert (status, answer["claimed"], answer["stored"]) == (200, 5, 3)
    assert ["400" in failed["error"] for failed in answer["failed"]] == [True, False]
    assert "zero vector" in answer["failed"][1]["error"]
    assert [len(texts) for texts in function.service.inputs] == [5, 1, 1, 1, 1, 1]
    assert [(attempts, error) for attempts, error in waiting(db)] == [
        (1, failed["error"]) for failed in answer["failed"]
    ]
    # The service said that the first text is at fault; the second may be tried again a few times.
    assert states(db) == ["abandoned", "paused"]
    for _ in range(4):
        db.execute("update braid_store.embedding_jobs set claimed_until = null where claimed_until < 'infinity'")
        assert function.post(EMBED)[1]["claimed"] == 1
    assert states(db) == ["abandoned", "abandoned"]
    assert function.post(EMBED) == (200, {"claimed": 0, "stored": 0, "failed": []})  # abandoned jobs wait for a while
    found = function.post({"search": {"query_text": "three", "collection": "notes"}})[1]
    assert found["results"][0]["semantic_rank"] == 1


def test_the_platforms_own_model(db: psycopg.Connection[Any], deploy: Deploy) -> None:
    function = deploy(platform_model=True)
    function.write("One.", collection="default")
    bodies: list[dict[str, Any]] = [{"embed": {}}, {"search": {"query_text": "one"}}]
    for body in bodies:
        status, answer = function.post(body)
        assert (status, answer["code"]) == (400, "22023")
        assert 'collection "default" is for all-MiniLM-L6-v2' in answer["message"]
        assert "braid.create_collection('…', dimensions => 384, embedding_model => 'gte-small')" in answer["hint"]
    assert waiting(db) == [(0, None)]
    db.execute("select braid.create_collection('notes_by_gte', dimensions => 384, embedding_model => 'gte-small')")
    function.write("A", "Two REFUSED.", "Three", collection="notes_by_gte")
    status, answer = function.post({"embed": {"collection": "notes_by_gte"}})
    assert (status, answer["claimed"], answer["stored"]) == (200, 3, 2)
    assert [failed["error"] for failed in answer["failed"]] == ["the model failed"]
    found = function.post({"search": {"query_text": "B", "collection": "notes_by_gte"}})[1]
    assert [row["external_id"] for row in found["results"]] == ["A", "Three"]


def test_vectors_of_other_dimensions(db: psycopg.Connection[Any], deploy: Deploy) -> None:
    function = deploy()
    function.write("One.", "Two.")
    function.service.dimensions = 100
    for body in (EMBED, {"search": {"query_text": "one", "collection": "notes"}}):
        status, answer = function.post(body)
        assert (status, answer["code"]) == (400, "22023")
        assert "384 dimensions, not 100" in answer["message"]
        assert "dimensions => 100, embedding_model => 'hash'" in answer["hint"]
    assert [(attempts, "384 dimensions, not 100" in error) for attempts, error in waiting(db)] == [(1, True)] * 2


def test_a_stored_vector_is_not_made_again(db: psycopg.Connection[Any], deploy: Deploy) -> None:
    function = deploy()
    function.write("One.")
    function.post(EMBED)
    db.execute("select braid.set_query_embeddings('notes', 5)")
    search = {"search": {"query_text": "+one -two", "collection": "notes"}}
    for function.service.status in (200, 503):
        status, answer = function.post(search)
        assert (status, answer["stats"]["mode"], answer["warnings"]) == (200, "hybrid", [])
    assert function.service.inputs == [["One."], ["one"]]
    found = function.api.post("search_json", {"query_text": "one", "collection": "notes"}, function.token())
    assert found.data["stats"]["query_embedding"] == "stored"
    # The other tenant has vectors of its own.
    other = {"embedded_text": "one", "collection": "notes"}
    assert function.api.post("get_query_embedding", other, function.token("other")).data is None


SEARCH = {"search": {"query_text": "seats per window", "collection": "notes", "match_count": 2}}


def test_lines_as_they_are_known(db: psycopg.Connection[Any], deploy: Deploy) -> None:
    function = deploy()
    function.write("The seat is by the window.", "Seats per window: seats!", "Lunch is soup on Monday.")
    function.post(EMBED)
    db.execute("select braid.set_search_log('notes', 'all')")
    function.service.opened.clear()
    lines = function.lines(SEARCH)
    first = next(lines)
    assert not function.service.opened.is_set() and function.service.inputs[1:] == [["seats per window"]]
    by_words = function.api.post("search_json", {**SEARCH["search"], "semantic_weight": 0}, function.token()).data
    assert (first["stage"], first["is_last"], first["results"]) == ("full_text", False, by_words["results"])
    assert first["changes"] == {"new": [row["chunk_id"] for row in first["results"]], "gone": [], "moved": []}
    function.service.opened.set()
    (last,) = lines
    (logged,) = db.execute("select search_id::text from braid_store.search_log").fetchall()
    assert (last["stage"], last["is_last"], last["stats"]["search_id"]) == ("fused", True, logged[0])
    plain = function.post(SEARCH)[1]
    assert last["results"] == plain["results"] and not plain.keys() & {"stage", "is_last", "changes"}
    before, now = ([row["chunk_id"] for row in line["results"]] for line in (first, last))
    assert last["changes"] == {
        "new": [chunk_id for chunk_id in now if chunk_id not in before],
        "gone": [chunk_id for chunk_id in before if chunk_id not in now],
        "moved": [
            {"chunk_id": chunk_id, "from": before.index(chunk_id) + 1, "to": rank}
            for rank, chunk_id in enumerate(now, 1)
            if chunk_id in before and before.index(chunk_id) + 1 != rank
        ],
    }


def test_lines_that_are_of_use(db: psycopg.Connection[Any], deploy: Deploy) -> None:
    function = deploy()
    function.write("The seat is by the window.", "Lunch is soup on Monday.")
    function.post(EMBED)

    def stages(**arguments: Any) -> list[tuple[str, list[str]]]:
        found = function.lines({"search": {**SEARCH["search"], **arguments}})
        return [(line["stage"], [warning["code"] for warning in line["warnings"]]) for line in found]

    assert stages() == stages(options={"cursor": ""}) == [("full_text", []), ("fused", [])]
    assert stages(query_embedding=[1.0] * 384) == [("fused", [])]
    assert stages(query_text=None, query_embedding=[1.0] * 384) == [("semantic", [])]
    assert stages(full_text_weight=0) == [("fused", [])]
    assert stages(query_text="-soup")[-1][0] == "full_text"
    function.service.status = 503
    assert stages() == [("full_text", []), ("full_text", ["embedding_unavailable"])]
    function.service.status = 200
    db.execute("select braid.set_query_embeddings('notes', 5)")
    assert [len(stages()) for _ in range(2)] == [2, 1]
    # An error before the first line sets the status; a later error is a line.
    headers = {"Authorization": f"Bearer {function.token()}", "Accept": "application/x-ndjson"}
    status, answer = function.post({"search": {"query_text": "a", "collection": "nowhere"}}, **headers)
    assert (status, answer["code"]) == (400, "42704")
    function.service.dimensions = 100
    first, last = function.lines({"search": {**SEARCH["search"], "query_text": "window"}})
    assert first["stage"] == "full_text" and last.keys() == {"error"}
    assert last["error"]["code"] == "22023" and "384 dimensions, not 100" in last["error"]["message"]


def test_a_node_that_does_not_have_the_tenant_names_the_one_that_has(
    db: psycopg.Connection[Any], deploy: Deploy
) -> None:
    """The test stands for a cluster without running one."""
    function = deploy()
    db.execute(
        "create or replace function braid_calls.session_tenant_id() returns int language plpgsql stable as $$begin"
        " raise exception 'tenant \"acme\" lives on another node, worker-2:5432' using errcode = '55000',"
        """ detail = '{"host": "worker-2", "port": 5432}', hint = 'Connect to host=worker-2 port=5432.'; end$$"""
    )
    for body in (EMBED, SEARCH):
        status, answer = function.post(body)
        assert (status, answer["code"]) == (500, "55000")
        assert json.loads(answer["details"]) == {"host": "worker-2", "port": 5432}


def test_who_ends_the_request_ends_the_work(db: psycopg.Connection[Any], deploy: Deploy) -> None:
    function = deploy()
    function.write("The seat is by the window.")
    db.execute("select braid.set_search_log('notes', 'all')")
    function.service.opened.clear()
    lines = function.lines(SEARCH)
    assert next(lines)["stage"] == "full_text"
    lines.close()
    until(lambda: function.service.given_up)
    assert function.service.given_up == 1
    function.service.opened.set()
    assert [line["stage"] for line in function.lines(SEARCH)] == ["full_text", "fused"]
    assert db.execute("select count(*) from braid_store.search_log").fetchone() == (1,)


def test_a_collection_on_its_way_to_the_model(db: psycopg.Connection[Any], deploy: Deploy) -> None:
    function = deploy()
    db.execute("select braid.create_collection('moving', dimensions => 3, embedding_model => 'old')")
    function.write("One.", collection="moving")
    db.execute("select braid.start_model_change('moving', 'hash', 384)")
    with psycopg.connect(db.info.dsn, autocommit=True) as administrator:
        administrator.execute("set braid.tenant = 'acme'")
        administrator.execute("select braid.maintain()")
    assert function.post({"embed": {"collection": "moving"}})[1]["stored"] == 1
    status, answer = function.post({"search": {"query_text": "one", "collection": "moving"}})
    assert status == 400 and 'collection "moving" is for old' in answer["message"]


@pytest.mark.parametrize("legacy_keys", [False, True], ids=["publishable", "legacy"])
def test_keys_and_tokens(deploy: Deploy, legacy_keys: bool) -> None:
    """The headers tell who the caller is."""
    function = deploy(legacy_keys=legacy_keys)
    function.write("One.")
    legacy = postgrest.sign({"role": function.administrator})
    user = f"Bearer {function.token()}"
    tenant = {"x_braid_tenant": "acme"}
    search = {"search": {"query_text": "one", "collection": "notes"}}
    expired = function.token(exp=int(time.time()) - 60)
    cases: list[tuple[dict[str, str], int, str | None]] = [
        ({"Authorization": user}, 200, None),
        ({"Authorization": user, "apikey": PUBLISHABLE}, 200, None),
        ({"apikey": SECRET, **tenant}, 200, None),
        ({"apikey": SECRET, "Authorization": f"Bearer {SECRET}", **tenant}, 200, None),
        ({"Authorization": f"Bearer {SECRET}", **tenant}, 200, None),
        ({"Authorization": f"Bearer {legacy}", **tenant}, 200, None),
        ({"apikey": SECRET}, 403, "x-braid-tenant"),
        ({"apikey": PUBLISHABLE}, 401, "x-braid-tenant"),
        ({"apikey": PUBLISHABLE, "Authorization": f"Bearer {PUBLISHABLE}", **tenant}, 401, "claim"),
        ({"Authorization": f"Bearer {expired}"}, 401, None),
        ({"Authorization": "Bearer nonsense"}, 401, None),
        ({"apikey": "sb_secret_other", **tenant}, 401, None),
        ({"X-Nothing": ""}, 401, "apikey"),
    ]
    for headers, status, hint in cases:
        answered, answer = function.post(search, **headers)
        assert answered == status, (headers, answer)
        assert status == 200 or answer["message"], headers
        assert not hint or hint in answer["hint"], (headers, answer)
    # A caller whom the API refuses costs no embedding.
    assert len(function.service.inputs) == len([status for _, status, _ in cases if status == 200])
    for request in function.gateway.requests:
        assert not request["authorization"].startswith("Bearer sb_") or (
            request["authorization"] == f"Bearer {request['apikey']}"
        )


def test_browsers_may_call_it(deploy: Deploy) -> None:
    function = deploy()
    asked = {
        "Origin": "https://example.com",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,apikey,content-type,x-client-info",
    }
    status, headers, _ = send(function.url, ..., asked, method="OPTIONS")
    assert status == 204
    assert headers["Access-Control-Allow-Origin"] == "*"
    assert "POST" in headers["Access-Control-Allow-Methods"]
    allowed = {name.strip() for name in headers["Access-Control-Allow-Headers"].split(",")}
    assert allowed >= {*asked["Access-Control-Request-Headers"].split(","), "x-braid-tenant"}
    cases: tuple[tuple[Any, int], ...] = ((EMBED, 200), (None, 400))
    for body, status in cases:
        answered, headers, _ = send(function.url, body, {"Authorization": f"Bearer {function.token()}"})
        assert (answered, headers["Access-Control-Allow-Origin"]) == (status, "*")


def test_what_is_no_request_of_its(deploy: Deploy) -> None:
    function = deploy()
    for body, message in (
        (None, "the body is null"),
        ([], "the body is an array"),
        (5, "the body is a number"),
        ("embed", "the body is a string"),
        (b"{", "the body is not JSON"),
        (b"", "the body is not JSON"),
        ({}, "no key"),
        ({"serch": {}}, "serch"),
        ({"embed": {}, "search": {}}, "embed, search"),
        ({"embed": True}, "embed is not a JSON object"),
        ({"search": None}, "search is not a JSON object"),
        ({"embed": {"job_cout": 1}}, "job_cout"),
        ({"embed": {"collection": 5}}, "collection"),
        ({"embed": {"job_count": 101}}, "job_count is 101"),
        ({"embed": {"job_count": "5"}}, "job_count is 5"),
        ({"embed": {"collection": "notes", "lease": "soon"}}, "soon"),
        ({"embed": {"collection": "nowhere"}}, "nowhere"),
        ({"search": {"query_text": "a", "collection": "nowhere"}}, "nowhere"),
        ({"search": {"query_text": "a", "collection": "notes", "options": "b"}}, "options"),
        ({"search": {"query_text": "a", "collection": "notes", "filters": []}}, "filters"),
    ):
        status, answer = function.post(body)
        assert (status, message in answer["message"]) == (400, True), (body, answer)
    assert function.post({"search": {"query_txt": "a"}})[0] == 404
    answered, _, answer = send(function.url, ..., {}, method="GET")
    assert (answered, answer["hint"]) == (405, "Use POST.")
