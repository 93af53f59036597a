"""Test pgbraid work: the outbox of all tenants, and maintenance."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import psycopg
import pytest
from tools.cli.conftest import Run

from pgbraid import embedding_service as services
from pgbraid.embedders import HttpEmbedder
from pgbraid.worker import worker
from support import JsonServer
from support.calls import set_tenant, upsert
from support.nearest import set_threshold, store
from support.upkeep import make_slow
from support.waiting import PATIENCE, until

pytestmark = pytest.mark.any_version

Connection = psycopg.Connection[Any]


@pytest.fixture
def tenants(db: Connection) -> None:
    """Create two tenants with pending documents, and a collection whose embedding model no worker has."""
    db.execute("select braid.create_tenant('a'), braid.create_tenant('b')")
    db.execute("select braid.create_collection('foreign', dimensions => 3, embedding_model => 'elsewhere')")
    for tenant in ("a", "b"):
        set_tenant(db, tenant)
        upsert(
            db,
            [{"external_id": str(n), "content": f"Document {n} of {tenant}."} for n in range(3)],
        )
    upsert(db, [{"external_id": "x", "content": "Of another model."}], "foreign")


def waiting(db: Connection) -> list[tuple[str, str, int]]:
    return db.execute(
        "select t.key, c.name, count(*) from braid_store.embedding_jobs"
        " join braid_store.tenants t on t.id = tenant_id join braid_store.collections c on c.id = collection_id"
        " group by 1, 2 order by 1, 2"
    ).fetchall()


def test_it_embeds_for_every_tenant(tenants: None, db: Connection, run: Run) -> None:
    assert waiting(db) == [
        ("a", "default", 3),
        ("b", "default", 3),
        ("b", "foreign", 1),
    ]
    code, out, err = run("work", "--once")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "a, default: 3 chunks embedded",
        "b, default: 3 chunks embedded",
    ]
    assert waiting(db) == [("b", "foreign", 1)]


def test_no_tenant_holds_the_others_up(
    tenants: None, db: Connection, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "TURN", 0.0)
    monkeypatch.setattr(services, "FIRST_BATCH", 64)
    set_tenant(db, "a")
    upsert(db, [{"external_id": f"more{n}", "content": f"More {n}."} for n in range(70)])
    _, out, _ = run("work", "--once")
    assert [line.split(",")[0] for line in out.splitlines()] == ["a", "b", "a"]
    assert waiting(db) == [("b", "foreign", 1)]


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        (
            "attempts = 3, last_error = 'the service said no'",
            "last error: the service said no",
        ),
        ("attempts = 0", "claimed by another worker"),
    ],
)
def test_what_cannot_be_embedded_now_is_told_and_is_no_success(
    tenants: None, db: Connection, run: Run, state: str, reason: str
) -> None:
    db.execute(
        f"update braid_store.embedding_jobs set claimed_until = now() + interval '1 hour', {state}"
        " where tenant_id = (select id from braid_store.tenants where key = 'a')"
    )
    code, out, err = run("work", "--once")
    assert code == 1
    assert out.splitlines() == ["b, default: 3 chunks embedded"]
    assert err.splitlines() == [f"a, default: 3 chunks not embedded, {reason}"]


def test_a_service_needs_its_model(run: Run) -> None:
    code, _, err = run("work", "--once", "--embedding-url", "http://127.0.0.1:1/v1")
    assert code == 2 and "--embedding-model" in err


# The following tests use an embedding service and its limits.


def answer(body: Any) -> Any:
    return {
        "data": [{"index": i, "embedding": [len(text), 1, 0]} for i, text in enumerate(body["input"])],
        "usage": {"total_tokens": 10 * len(body["input"])},
    }


@pytest.fixture
def service() -> Iterator[JsonServer]:
    with JsonServer(answer) as server:
        server.retry_after = None
        yield server


@pytest.fixture
def papers(db: Connection) -> Callable[[int], None]:
    db.execute("select braid.create_collection('papers', dimensions => 3, embedding_model => 'theirs')")

    def write(count: int) -> None:
        upsert(
            db,
            [{"external_id": f"p{n}", "content": f"Paper {n}."} for n in range(count)],
            "papers",
        )

    return write


@pytest.fixture
def work(run: Run, service: JsonServer, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    monkeypatch.setattr(services, "FIRST_PAUSE", 0.02)
    return lambda *options: run("work", "--once", *given(service), *options)


def given(service: JsonServer) -> list[str]:
    return ["--embedding-url", service.url, "--embedding-model", "theirs"]


def jobs(db: Connection) -> list[tuple[str, str, int]]:
    return db.execute(
        "select external_id, state, attempts from braid.list_embedding_jobs(null, 1000, collection => 'papers')"
    ).fetchall()


def embedded(db: Connection) -> int:
    row = db.execute("select braid.status('papers') -> 'collections' -> 0").fetchone()
    assert row is not None
    return int(row[0]["chunks"]) - int(row[0]["pending_embeddings"])


def failing(service: JsonServer, status: int, fails: Callable[[list[str]], bool]) -> None:
    """Make the service answer with this status if `fails` returns true for the texts of a request."""

    def refuse(body: Any) -> Any:
        texts = body["input"]
        if fails(texts):
            service.failures.append(status)
        return answer(body)

    service.before = refuse


@pytest.mark.parametrize(
    ("status", "state"),
    [
        (400, "abandoned"),
        (422, "abandoned"),
        *((status, "paused") for status in (301, 403, 404, 405, 500)),
    ],
)
def test_one_bad_text_never_sinks_its_batch(
    papers: Any, work: Any, db: Connection, service: JsonServer, status: int, state: str
) -> None:
    papers(20)
    failing(service, status, lambda texts: "Paper 7." in texts)
    done = work()
    assert done.code == 1
    assert done.out.splitlines() == ["default, papers: 19 chunks embedded"]
    assert f"answered {status}" in done.err
    assert jobs(db) == [("p7", state, 1)]
    assert embedded(db) == 19


def test_what_is_abandoned_is_listed_retried_and_dropped(
    papers: Any, work: Any, db: Connection, service: JsonServer, run: Run
) -> None:
    papers(4)
    failing(
        service,
        400,
        lambda texts: any(text in ("Paper 1.", "Paper 2.") for text in texts),
    )
    assert work().code == 1
    of_papers = ["--collection", "papers"]
    listed = run("jobs", "list", *of_papers).out
    assert [line.split()[1] for line in listed.splitlines()] == ["document", "p1", "p2"]
    assert listed.count("answered 400") == 2 and listed.count("infinity") == 2
    assert run("jobs", "list", *of_papers, "--state", "waiting").out == "none waiting\n"
    asked = len(service.requests)
    assert work().code == 1
    assert len(service.requests) == asked
    first, second = (int(line.split()[0]) for line in listed.splitlines()[1:])
    service.before = None
    assert run("jobs", "retry", *of_papers, first).out == "1 chunks wait for a worker\n"
    assert work().code == 1
    assert jobs(db) == [("p2", "abandoned", 1)]
    assert run("jobs", "drop", *of_papers).out == "1 chunks stay without an embedding\n"
    assert (jobs(db), work().code) == ([], 0)
    assert run("jobs", "drop", *of_papers, second).out == "0 chunks stay without an embedding\n"
    found = run("search", "paper", *of_papers, "--mode", "full_text", "--json").out
    assert found.count('"external_id"') == 4


@pytest.mark.parametrize(("status", "requests"), [(401, 1), (307, 2), (403, 2), (404, 2)])
def test_a_wrong_key_ends_it_with_a_line_and_changes_nothing(
    papers: Any,
    work: Any,
    db: Connection,
    service: JsonServer,
    status: int,
    requests: int,
) -> None:
    papers(3)
    service.failures = [status] * 50
    done = work()
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("pgbraid: the embedding service") and f"answered {status}" in done.err
    assert len(done.err.splitlines()) == 2
    assert jobs(db) == [(f"p{n}", "waiting", 0) for n in range(3)]
    assert len(service.requests) == requests


def test_a_service_that_refuses_everything_abandons_nothing(
    papers: Any, work: Any, db: Connection, service: JsonServer
) -> None:
    papers(3)
    service.failures = [400] * 50
    assert work().code == 2
    assert jobs(db) == [(f"p{n}", "waiting", 0) for n in range(3)]
    assert len(service.requests) == 2


@pytest.mark.parametrize("failures", [[429], [500, 500], [503, 503, 502, 502]], ids=str)
def test_it_comes_back_to_a_service_that_was_down(
    papers: Any, work: Any, db: Connection, service: JsonServer, failures: list[int]
) -> None:
    papers(5)
    service.failures = failures
    done = work()
    assert (done.code, done.out) == (0, "default, papers: 5 chunks embedded\n")
    assert "asked again after" in done.err
    assert (jobs(db), embedded(db)) == ([], 5)


def test_an_outage_counts_once_for_all_threads(service: JsonServer) -> None:
    embedder = HttpEmbedder("openai", "theirs", base_url=service.url, retries=0)
    shared = services.Service(embedder, threading.Event())
    service.failures = [429] * 4
    service.answers.clear()

    def embed() -> None:
        with pytest.raises(services.UnavailableError):
            shared.embed(["one", "two"], 3)

    threads = [threading.Thread(target=embed) for _ in range(4)]
    for thread in threads:
        thread.start()
    until(lambda: len(service.requests) == 4)
    service.answers.set()
    for thread in threads:
        thread.join()
    assert (service.failures, shared.failures, shared.batch_size) == ([], 1, 32)


def test_a_text_that_is_always_too_much_is_refused_although_others_work(service: JsonServer) -> None:
    embedder = HttpEmbedder("openai", "theirs", base_url=service.url, retries=0)
    shared = services.Service(embedder, threading.Event())
    failing(service, 429, lambda texts: "huge" in texts)
    for _ in range(8):
        with pytest.raises(services.UnavailableError):
            shared.embed(["huge"], 3)
        shared.embed(["small"], 3)
    (refused,) = shared.embed(["huge"], 3)
    assert isinstance(refused, services.RefusedError) and not refused.is_final


def test_a_text_that_hangs_does_not_outlast_the_lease(
    papers: Any, work: Any, db: Connection, service: JsonServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    papers(32)
    hung = 0.0

    def hang(body: Any) -> None:
        nonlocal hung
        if "Paper 3." in body["input"]:
            hung += 0.3
            service.failures.append(500)

    service.before = hang
    # The clock counts only the time for which the service hangs, so the machine's speed does not matter.
    monkeypatch.setattr(services, "time", SimpleNamespace(monotonic=lambda: hung))
    done = work("--lease", "1")
    assert done.code == 1
    assert (jobs(db), embedded(db)) == ([("p3", "paused", 1)], 31)
    texts = [request["input"] for request in service.requests]
    # The batch of 32 is halved until half a second is over; then come batches of 4.
    assert [len(each) for each in texts if "Paper 3." in each][:4] == [32, 16, 4, 2]


def test_it_keeps_retry_after(papers: Any, work: Any, service: JsonServer) -> None:
    papers(5)
    service.failures, service.retry_after = [429], "0.6"
    begun = time.monotonic()
    assert work().code == 0
    assert time.monotonic() - begun >= 0.6
    assert len(service.requests) == 2


def test_once_gives_up_on_a_service_that_stays_down(
    papers: Any, work: Any, db: Connection, service: JsonServer
) -> None:
    papers(5)
    service.failures = [500] * 100
    done = work()
    assert (done.code, done.out) == (1, "")
    assert "5 chunks not embedded, last error: the embedding service" in done.err
    assert {state for _, state, _ in jobs(db)} == {"paused"}
    assert len(service.requests) <= 10


BAD_ANSWERS: dict[str, Callable[[Any], Any]] = {
    "truncated": lambda _: b'{"data": [{"ind',
    "too few": lambda body: {"data": answer(body)["data"][1:]},
    "NaN": lambda body: {"data": [{"index": i, "embedding": [float("nan")] * 3} for i in range(len(body["input"]))]},
    "other dimensions": lambda body: {"data": [{"index": i, "embedding": [1]} for i in range(len(body["input"]))]},
    "zeros": lambda body: {
        "data": [
            {"index": i, "embedding": [0 if text == "Paper 4." else 1] * 3} for i, text in enumerate(body["input"])
        ]
    },
}


@pytest.mark.parametrize("kind", BAD_ANSWERS)
def test_a_bad_answer_for_one_text_keeps_no_other_back(
    papers: Any, work: Any, db: Connection, service: JsonServer, kind: str
) -> None:
    papers(9)
    service.answer = lambda body: BAD_ANSWERS[kind](body) if "Paper 4." in body["input"] else answer(body)
    assert work().code == 1
    assert (jobs(db), embedded(db)) == ([("p4", "paused", 1)], 8)


@pytest.mark.parametrize("kind", [kind for kind in BAD_ANSWERS if kind != "zeros"])
def test_a_service_of_bad_answers_gives_up_no_text(
    papers: Any, work: Any, db: Connection, service: JsonServer, kind: str
) -> None:
    papers(3)
    service.answer = BAD_ANSWERS[kind]
    done = work()
    assert done.code == 1
    assert {state for _, state, _ in jobs(db)} == {"paused"}
    assert "Traceback" not in done.err


def test_a_text_that_fails_again_and_again_is_abandoned(
    papers: Any, work: Any, db: Connection, service: JsonServer
) -> None:
    papers(2)
    failing(service, 500, lambda texts: "Paper 1." in texts)
    for _ in range(5):
        work()
        db.execute("update braid_store.embedding_jobs set claimed_until = null where claimed_until < 'infinity'")
    assert jobs(db) == [("p1", "abandoned", 5)]


def test_a_collection_that_is_dropped_meanwhile(
    papers: Any, work: Any, db: Connection, dsn: str, service: JsonServer
) -> None:
    papers(5)
    upsert(db, [{"external_id": "x", "content": "Offline."}])

    def drop(_: Any) -> None:
        with psycopg.connect(dsn, autocommit=True) as other:
            other.execute("select braid.drop_collection('papers')")
        service.before = None

    service.before = drop
    done = work()
    assert (done.code, done.err) == (0, "")


@pytest.fixture
def first(db: Connection, papers: Callable[[int], None]) -> Iterator[Callable[[int], None]]:
    """Return a function that writes papers of a tenant that the worker serves first."""
    db.execute("select braid.create_tenant('a')")
    set_tenant(db, "a")
    db.execute("select braid.create_collection('papers', dimensions => 3, embedding_model => 'theirs')")
    set_tenant(db, "default")

    def write(count: int) -> None:
        set_tenant(db, "a")
        upsert(
            db,
            [{"external_id": f"a{n}", "content": f"First {n}."} for n in range(count)],
            "papers",
        )
        set_tenant(db, "default")

    yield write


@pytest.mark.parametrize("status", [200, 500])
def test_a_tenant_that_is_dropped_meanwhile(
    papers: Any,
    first: Any,
    work: Any,
    db: Connection,
    dsn: str,
    service: JsonServer,
    status: int,
) -> None:
    papers(3)
    first(3)

    def drop(_: Any) -> None:
        with psycopg.connect(dsn, autocommit=True) as other:
            other.execute("select braid.drop_tenant('a', 'a')")
        service.before = None
        service.failures = [status] * 2

    service.before = drop
    done = work()
    assert (done.code, done.out.splitlines()[-1]) == (
        0,
        "default, papers: 3 chunks embedded",
    )
    assert (jobs(db), embedded(db)) == ([], 3)
    assert db.execute("select tenant from braid.embedding_usage()").fetchall() == [("default",)]


def test_a_tenant_whose_vectors_cannot_be_stored_holds_no_other_up(
    papers: Any, first: Any, work: Any, db: Connection, service: JsonServer
) -> None:
    papers(3)
    first(3)
    db.execute("grant usage on schema public to public")
    db.execute(
        "create function public.fail() returns trigger language plpgsql security definer as $$ begin"
        " if new.tenant_id = (select id from braid_store.tenants where key = 'a') then raise 'no room'; end if;"
        " return new; end $$"
    )
    db.execute(
        "create trigger fail before insert on braid_store.chunk_vectors for each row execute function public.fail()"
    )
    done = work()
    assert (done.code, done.out) == (1, "default, papers: 3 chunks embedded\n")
    assert "a, papers: no room" in done.err
    set_tenant(db, "a")
    assert {state for _, state, _ in jobs(db)} == {"paused"}


def test_a_reason_that_is_no_text_of_the_database(
    papers: Any, first: Any, work: Any, db: Connection, service: JsonServer
) -> None:
    papers(3)
    first(1)
    failing(service, 400, lambda texts: "First 0." in texts)
    service.answer = lambda body: b"no\0thing" if "First 0." in body["input"] else answer(body)
    assert work().code == 1
    assert (jobs(db), embedded(db)) == ([], 3)
    set_tenant(db, "a")
    row = db.execute("select state, last_error from braid.list_embedding_jobs(collection => 'papers')").fetchone()
    assert row is not None
    assert row[0] == "abandoned" and row[1].endswith("nothing")


def test_threads_begin_at_several_tenants(papers: Any, first: Any, work: Any, service: JsonServer) -> None:
    papers(3)
    first(200)
    # The service answers the first request when the second has arrived.
    asked = threading.Barrier(2)
    turns = iter(range(2))
    service.before = lambda _: next(turns, None) is not None and asked.wait(PATIENCE)
    assert work("--concurrency", "2").code == 0
    assert {request["input"][0].split()[0] for request in service.requests[:2]} == {
        "First",
        "Paper",
    }


@pytest.mark.parametrize("price", ["nan", "inf", "-1"])
def test_a_price_is_a_number(run: Run, price: str) -> None:
    code, _, err = run("work", "--once", "--price-per-million", price)
    assert code == 2 and "--price-per-million" in err


def test_tokens_and_costs_are_recorded(papers: Any, work: Any, db: Connection, service: JsonServer) -> None:
    papers(5)
    assert work("--price-per-million", "0.02").code == 0
    service.answer = lambda body: {"data": answer(body)["data"]}
    upsert(db, [{"external_id": "new", "content": "Of 25 characters, or more"}], "papers")
    assert work().code == 0
    used = db.execute(
        "select tenant, embedding_model, text_count, token_count, estimated_token_count, cost "
        "from braid.embedding_usage()"
    ).fetchall()
    ((*of, texts, tokens, estimated, cost),) = used
    assert (of, texts, tokens, estimated) == (["default", "theirs"], 6, 57, 7)
    assert float(cost) == pytest.approx(50 * 0.02 / 1e6)
    assert db.execute("select * from braid.embedding_usage(current_date + 2)").fetchall() == []


def test_several_batches_at_a_time(papers: Any, work: Any, db: Connection, service: JsonServer) -> None:
    papers(400)
    asked = threading.Barrier(3)
    turns = iter(range(3))
    service.before = lambda _: next(turns, None) is not None and asked.wait(PATIENCE)
    assert work("--concurrency", "3").code == 0
    assert embedded(db) == 400
    texts = [text for request in service.requests for text in request["input"]]
    assert len(texts) == len(set(texts)) == 400


# The following tests stop processes.


@pytest.fixture
def start(dsn: str, service: JsonServer) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    started: list[subprocess.Popen[str]] = []

    def start_one(*options: str, grace: float = 8.0) -> subprocess.Popen[str]:
        program = f"import pgbraid.cli.work as w, pgbraid.cli as c; w.GRACE = {grace}; c.main()"
        command = [sys.executable, "-c", program, "work", *given(service), *options]
        process = subprocess.Popen(
            command,
            env={**os.environ, "PGBRAID_DSN": dsn},
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        started.append(process)
        return process

    yield start_one
    for process in started:
        process.kill()
        process.communicate()


def test_a_signal_ends_it_behind_its_batch(papers: Any, db: Connection, service: JsonServer, start: Any) -> None:
    papers(1000)
    # The first two requests are answered after the signal was sent. The others are answered slowly, so the worker
    # notices
    # the signal long before the last one.
    service.before = lambda _: time.sleep(0.5) if len(service.requests) > 2 else None
    service.answers.clear()
    process = start("--concurrency", "2")
    until(lambda: len(service.requests) == 2)
    process.send_signal(signal.SIGTERM)
    service.answers.set()
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (0, "")
    assert "chunks embedded" in out
    left = jobs(db)
    assert 0 < len(left) < 1000
    assert {state for _, state, _ in left} == {"waiting"}
    texts = [text for request in service.requests for text in request["input"]]
    assert len(texts) + len(left) == 1000


def test_a_batch_that_takes_too_long_is_given_back(
    papers: Any, db: Connection, service: JsonServer, start: Any
) -> None:
    papers(5)
    service.answers.clear()
    process = start(grace=0.2)
    until(lambda: len(service.requests) == 1)
    process.terminate()
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, err) == (0, "5 chunks given back\n", "")
    assert jobs(db) == [(f"p{n}", "waiting", 0) for n in range(5)]


def test_a_signal_ends_maintenance(db: Connection, service: JsonServer, start: Any) -> None:
    db.execute(
        "create or replace function braid.maintain(time_budget interval default null) returns jsonb language sql"
        " as $$ select '{\"complete\": true}'::jsonb from pg_catalog.pg_sleep(600) $$"
    )
    process = start()
    running = (
        "select count(*) from pg_stat_activity where query like %s and state = 'active' and pid <> pg_backend_pid()"
    )
    until(lambda: db.execute(running, ("%braid.maintain%",)).fetchone() == (1,))
    process.terminate()
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, err) == (0, "", "")


def test_what_is_given_back_keeps_its_history(papers: Any, db: Connection, service: JsonServer, start: Any) -> None:
    papers(2)
    db.execute("update braid_store.embedding_jobs set attempts = 3, last_error = 'it was down'")
    service.answers.clear()
    process = start(grace=0.2)
    until(lambda: len(service.requests) == 1)
    # Another worker has claimed the jobs meanwhile.
    db.execute(
        "update braid_store.embedding_jobs set claimed_until = claimed_until + interval '1 minute'"
        " where chunk_id = (select min(chunk_id) from braid_store.embedding_jobs)"
    )
    process.terminate()
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, err) == (0, "1 chunks given back\n", "")
    row = "select state, attempts, last_error from braid.list_embedding_jobs(collection => 'papers')"
    assert db.execute(row).fetchall() == [("paused", 4, "it was down"), ("waiting", 3, "it was down")]


def test_a_killed_worker_loses_nothing(papers: Any, db: Connection, service: JsonServer, start: Any) -> None:
    papers(200)

    # The worker gets one answer, and is killed while it holds further claimed jobs.
    def hold(_: Any) -> None:
        if len(service.requests) > 1:
            service.answers.clear()

    service.before = hold
    process = start("--lease", "1")
    until(lambda: len(service.requests) >= 2)
    process.kill()
    process.communicate()
    service.before = None
    service.answers.set()
    start()
    until(lambda: jobs(db) == [])
    assert embedded(db) == 200
    texts = [text for request in service.requests for text in request["input"]]
    assert set(texts) == {f"Paper {n}." for n in range(200)}
    assert len(texts) - 200 <= 64 * 2


def test_it_connects_again(papers: Any, db: Connection, service: JsonServer, start: Any) -> None:
    papers(100)
    service.answers.clear()
    process = start("--concurrency", "2")
    until(lambda: len(service.requests) >= 1)
    others = "where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'"
    # Each of the two threads has a session, and a third session does everything else.
    until(lambda: db.execute(f"select count(*) from pg_stat_activity {others}".encode()).fetchone() == (3,))
    db.execute(f"select pg_terminate_backend(pid) from pg_stat_activity {others}".encode())
    service.answers.set()
    until(lambda: jobs(db) == [])
    assert embedded(db) == 100
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert err.count("tried again after") == len(err.splitlines()) >= 3


def test_a_full_disk_is_waited_for(papers: Any, db: Connection, service: JsonServer, start: Any) -> None:
    papers(3)
    db.execute("create table public.disk_is_full ()")
    db.execute("grant usage on schema public to public")
    db.execute(
        "create function public.fail() returns trigger language plpgsql as $$ begin"
        " if to_regclass('public.disk_is_full') is not null then"
        " raise 'could not extend file' using errcode = '53100'; end if; return new; end $$"
    )
    db.execute(
        "create trigger fail before insert on braid_store.chunk_vectors for each row execute function public.fail()"
    )
    process = start()
    until(lambda: len(service.requests) >= 2)
    assert {state for _, state, _ in jobs(db)} <= {"waiting", "claimed"}
    db.execute("drop table public.disk_is_full")
    until(lambda: embedded(db) == 3)
    process.terminate()
    _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, "could not extend file" in err) == (0, True)


def test_a_notification_wakes_it(papers: Any, db: Connection, service: JsonServer, start: Any) -> None:
    start("--interval", "600")
    papers(1)
    until(lambda: embedded(db) == 1)
    db.execute("set braid.notify_workers = 'on'")
    upsert(db, [{"external_id": "new", "content": "Sooner."}], "papers")
    until(lambda: embedded(db) == 2)


def test_it_builds_an_index_that_takes_longer_than_a_step(db: Connection, run: Run) -> None:
    """It says so, and ends when all upkeep is done."""
    set_threshold(db, 100, 3)
    db.execute("select braid.create_collection('c', dimensions => 3)")
    store(db, {str(n): np.random.default_rng(n).normal(size=3) for n in range(120)}, "c")
    make_slow(db, 1000)
    done = run("work", "--once")
    assert (done.code, done.out, done.err) == (0, "building a vector index or merging takes about 1002 seconds\n", "")
    shards = "select state, (select count(*) from braid_store.chunk_vectors) from braid_store.vector_shards"
    assert db.execute(shards).fetchall() == [("serving", 0)]


def test_upkeep_that_fails_is_told_once_and_keeps_nobody_waiting(db: Connection, run: Run) -> None:
    upsert(db, [{"external_id": str(n), "content": f"words of {n}"} for n in range(100)])
    db.execute("select braid.delete_documents(%s)", ([str(n) for n in range(50)],))
    db.execute("alter table braid_store.segments add constraint failing check (chunk_count < 0) not valid")
    done = run("work", "--once")
    assert (done.code, done.err.count("failing")) == (0, 1)
