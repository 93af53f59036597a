"""The embedding queue holds every chunk without a vector once, until the chunk has a vector or is deleted."""

from __future__ import annotations

import threading
from typing import Any

import psycopg
import pytest

from support.calls import semantic, set_tenant, upsert, vector
from support.waiting import PATIENCE

pytestmark = pytest.mark.tenant_of_its_own
Connection = psycopg.Connection[Any]
UNIT = [1.0] + [0.0] * 383


def connect(dsn: str) -> Connection:
    return psycopg.connect(dsn, autocommit=True)


def claim(db: Connection, count: int = 64, lease: str = "5 minutes") -> dict[int, str]:
    return dict(db.execute("select * from braid.claim_embedding_jobs(%s, %s)", (count, lease)).fetchall())


def store(db: Connection, chunk_ids: list[int], embedding: list[float] = UNIT) -> int:
    vectors = [vector(embedding)] * len(chunk_ids)
    row = db.execute("select braid.store_embeddings(%s, %s::vector[])", (chunk_ids, vectors)).fetchone()
    assert row is not None
    return int(row[0])


def pending(db: Connection) -> int:
    row = db.execute("select braid.status('default') -> 'collections' -> 0 -> 'pending_embeddings'").fetchone()
    assert row is not None
    return int(row[0])


@pytest.fixture
def filled(db: Connection) -> Connection:
    upsert(db, [{"external_id": f"d{n}", "content": f"text {n}"} for n in range(6)])
    upsert(db, [{"external_id": "with", "content": "vector", "embedding": UNIT}])
    return db


def test_claim_and_store(filled: Connection) -> None:
    assert pending(filled) == 6
    jobs = claim(filled, 4)
    assert sorted(jobs.values()) == ["text 0", "text 1", "text 2", "text 3"]
    assert store(filled, list(jobs)) == 4
    assert pending(filled) == 2
    assert len(semantic(filled, UNIT)) == 5
    rest = claim(filled)
    assert sorted(rest.values()) == ["text 4", "text 5"]
    assert claim(filled) == {}
    assert store(filled, list(rest)) == 2
    assert pending(filled) == 0
    # A second call replaces the vectors by better ones.
    assert store(filled, list(rest), UNIT[::-1]) == 2
    assert len(semantic(filled, UNIT)) == 7
    assert {hit[0] for hit in semantic(filled, UNIT[::-1], min_score=0.9)} == {"d4", "d5"}


def test_the_text_to_embed_is_title_speaker_and_content(db: Connection) -> None:
    upsert(db, [{"external_id": "a", "title": "Title", "speaker": "Ana", "content": "content"}])
    db.execute("select braid.create_collection('bare', settings => '{\"embed_fields\": [\"content\"]}')")
    upsert(db, [{"external_id": "a", "title": "Title", "speaker": "Ana", "content": "content"}], "bare")
    assert list(claim(db).values()) == ["Title\nAna\ncontent"]
    row = db.execute("select input from braid.claim_embedding_jobs(collection => 'bare')").fetchone()
    assert row == ("content",)


def test_two_workers_never_get_the_same_chunk(filled: Connection, dsn: str) -> None:
    with connect(dsn) as first, connect(dsn) as second:
        for worker in (first, second):
            worker.execute("begin")
            worker.execute("set local lock_timeout = '3min'")
        jobs = claim(first, 3), claim(second, 10)
        assert [len(claimed) for claimed in jobs] == [3, 3]
        assert jobs[0].keys().isdisjoint(jobs[1])
        first.execute("rollback")
        second.execute("commit")
    # A worker that died before its commit has claimed nothing.
    assert claim(filled, 10).keys() == jobs[0].keys()


def test_a_lease_that_has_run_out(filled: Connection) -> None:
    jobs = claim(filled, 10, "1 minute")
    assert claim(filled, 10, "1 minute") == {}
    filled.execute("update braid_store.embedding_jobs set claimed_until = claimed_until - interval '1 minute'")
    assert claim(filled, 10, "1 minute") == jobs
    # The first worker stores its vectors late, and they are still accepted.
    assert store(filled, list(jobs)) == 6
    assert pending(filled) == 0


def test_jobs_that_fail_come_back_later_and_later(filled: Connection) -> None:
    waits: list[Any] = []
    for _ in range(3):
        (chunk_id,) = claim(filled, 1)
        row = filled.execute(
            "select braid.fail_embedding_jobs(%s, 'service unavailable')", ([chunk_id, 10**12],)
        ).fetchone()
        assert row == (1,)
        filled.execute(
            "update braid_store.embedding_jobs set claimed_until = 'infinity' where chunk_id <> %s", (chunk_id,)
        )
        assert claim(filled) == {}
        job = filled.execute(
            "select last_error, attempts, extract(epoch from claimed_until - clock_timestamp())::float8 "
            "from braid_store.embedding_jobs where chunk_id = %s",
            (chunk_id,),
        ).fetchone()
        assert job is not None
        assert job[:2] == ("service unavailable", len(waits) + 1)
        waits.append(job[2])
        filled.execute("update braid_store.embedding_jobs set claimed_until = null where chunk_id = %s", (chunk_id,))
    assert 0 < waits[0] < waits[1] < waits[2] < 3600
    # The job still counts as pending and as failed.
    status = filled.execute("select braid.status('default') -> 'collections' -> 0").fetchone()
    assert status is not None
    assert (status[0]["pending_embeddings"], status[0]["failed_embeddings"]) == (6, 1)


def jobs(db: Connection, state: str | None = None) -> list[tuple[str, str, int, str | None]]:
    return db.execute(
        "select external_id, state, attempts, last_error from braid.list_embedding_jobs(%s)", (state,)
    ).fetchall()


def test_jobs_are_abandoned_listed_retried_and_dropped(filled: Connection) -> None:
    (first, second, third) = sorted(claim(filled, 3))
    give_up = "select braid.abandon_embedding_jobs(%s, %s, %s)"
    assert filled.execute(give_up, ([first, 10**12], "refused", 1)).fetchone() == (1,)
    assert filled.execute(give_up, ([second], "failed", 2)).fetchone() == (1,)
    assert jobs(filled) == [
        ("d0", "abandoned", 1, "refused"),
        ("d1", "paused", 1, "failed"),
        ("d2", "claimed", 1, None),
        *((f"d{n}", "waiting", 0, None) for n in (3, 4, 5)),
    ]
    assert [row[0] for row in jobs(filled, "abandoned")] == ["d0"]
    filled.execute("update braid_store.embedding_jobs set claimed_until = null where chunk_id = %s", (second,))
    assert second in claim(filled, 1)
    filled.execute(give_up, ([second], "failed", 2))
    assert [row[0] for row in jobs(filled, "abandoned")] == ["d0", "d1"]

    # A worker that stops gives back the jobs that it has claimed.
    assert filled.execute("select braid.retry_embedding_jobs(%s)", ([third],)).fetchone() == (1,)
    assert ("d2", "waiting", 0, None) in jobs(filled)
    assert filled.execute("select braid.drop_embedding_jobs(%s)", ([second],)).fetchone() == (1,)
    assert filled.execute("select braid.retry_embedding_jobs()").fetchone() == (1,)
    assert claim(filled, 1).keys() == {first}
    filled.execute(give_up, ([first], "refused again", 1))
    assert filled.execute("select braid.drop_embedding_jobs()").fetchone() == (1,)
    assert [row[0] for row in jobs(filled)] == ["d2", "d3", "d4", "d5"]
    assert pending(filled) == 4
    # A new text brings a dropped job back.
    upsert(filled, [{"external_id": "d0", "content": "another text"}, {"external_id": "d1", "content": "text 1"}])
    assert [row[0] for row in jobs(filled)] == ["d2", "d3", "d4", "d5", "d0"]


def test_killed_workers_are_no_fault_of_the_text(filled: Connection) -> None:
    filled.execute(
        "delete from braid_store.embedding_jobs where chunk_id > (select min(chunk_id) from braid_store.embedding_jobs)"
    )
    for _ in range(5):
        (chunk_id,) = claim(filled, 1)
        filled.execute("update braid_store.embedding_jobs set claimed_until = now() - interval '1 second'")
    assert jobs(filled) == [("d0", "waiting", 5, None)]
    for attempts in (1, 2):
        claim(filled)
        filled.execute("select braid.abandon_embedding_jobs(%s, 'failed', 2)", ([chunk_id],))
        assert jobs(filled) == [("d0", "abandoned" if attempts == 2 else "paused", attempts, "failed")]
        filled.execute("update braid_store.embedding_jobs set claimed_until = null where claimed_until < 'infinity'")


def test_what_is_retried_while_all_are_dropped_stays(filled: Connection, dsn: str) -> None:
    (chunk_id,) = claim(filled, 1)
    filled.execute("select braid.abandon_embedding_jobs(%s, 'refused')", ([chunk_id],))
    dropped: list[Any] = []

    def drop() -> None:
        with connect(dsn) as other:
            dropped.append(other.execute("select braid.drop_embedding_jobs()").fetchone())

    with connect(dsn) as retrying:
        retrying.execute("begin")
        retrying.execute("select braid.retry_embedding_jobs()")
        dropping = threading.Thread(target=drop)
        dropping.start()
        waits = "select count(*) from pg_locks where not granted and pid <> pg_backend_pid()"
        while filled.execute(waits).fetchone() == (0,):
            assert dropping.is_alive()
        retrying.execute("commit")
        dropping.join()
    assert dropped == [(0,)]
    assert ("d0", "waiting", 0, None) in jobs(filled)


def test_pages_of_jobs(filled: Connection) -> None:
    page = "select external_id, chunk_id from braid.list_embedding_jobs(match_count => 4, after_chunk_id => %s)"
    first = filled.execute(page, (0,)).fetchall()
    rest = filled.execute(page, (first[-1][1],)).fetchall()
    assert [name for name, _ in first + rest] == [f"d{n}" for n in range(6)]


@pytest.mark.parametrize(
    "call",
    [
        "list_embedding_jobs(match_count => 0)",
        "list_embedding_jobs('lost')",
        "abandon_embedding_jobs('{1}', 'x', 0)",
        "retry_embedding_jobs(embedding_model => 'other')",
        "drop_embedding_jobs(embedding_model => 'other')",
    ],
)
def test_what_is_refused_of_jobs(filled: Connection, call: str) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue) as raised:
        filled.execute(f"select braid.{call}")
    assert raised.value.diag.message_hint


@pytest.mark.parametrize("setting", ["on", "off"])
def test_writers_wake_resting_workers_if_they_are_asked_to(db: Connection, dsn: str, setting: str) -> None:
    def told(listener: Connection) -> int:
        """Return the number of notifications received so far; they arrive in the order of the commits."""
        db.execute("notify that_is_all")
        for number, notification in enumerate(listener.notifies(timeout=PATIENCE)):
            if notification.channel == "that_is_all":
                return number
        raise AssertionError("nothing came")

    with connect(dsn) as listener:
        listener.execute("listen braid_embedding_jobs; listen that_is_all")
        db.execute(f"set braid.notify_workers = '{setting}'")
        upsert(db, [{"external_id": f"d{n}", "content": f"text {n}"} for n in range(5)])
        assert told(listener) == (setting == "on")
        # An earlier notification has already woken a worker.
        upsert(db, [{"external_id": "later", "content": "later"}])
        assert told(listener) == 0
        claim(db)
        upsert(db, [{"external_id": "with", "content": "vector", "embedding": UNIT}])
        assert told(listener) == 0
        upsert(db, [{"external_id": "last", "content": "last"}])
        assert told(listener) == (setting == "on")


def test_chunks_deleted_or_replaced_meanwhile_are_passed_over(filled: Connection) -> None:
    jobs = claim(filled)
    by_text = {text: chunk_id for chunk_id, text in jobs.items()}
    filled.execute("select braid.delete_document('d0')")
    upsert(filled, [{"external_id": "d1", "content": "another"}])
    assert store(filled, list(jobs)) == 4
    assert {hit[0] for hit in semantic(filled, UNIT)} == {"d2", "d3", "d4", "d5", "with"}
    row = filled.execute(
        "select count(*) from braid_store.chunk_vectors where chunk_id = any(%s)",
        ([by_text["text 0"], by_text["text 1"]],),
    ).fetchone()
    assert row == (0,)
    assert list(claim(filled).values()) == ["another"]
    assert store(filled, [10**12]) == 0


@pytest.mark.usefixtures("dsn")
def test_another_tenants_chunks_are_passed_over(filled: Connection) -> None:
    jobs = claim(filled)
    filled.execute("select braid.create_tenant('other')")
    set_tenant(filled, "other")
    assert claim(filled) == {}
    assert store(filled, list(jobs)) == 0
    row = filled.execute("select braid.fail_embedding_jobs(%s, 'no')", (list(jobs),)).fetchone()
    assert row == (0,)
    set_tenant(filled, "default")
    assert pending(filled) == 6
    assert len(semantic(filled, UNIT)) == 1


@pytest.mark.parametrize(
    ("call", "values"),
    [
        ("select braid.store_embeddings(%s, %s::vector[])", ([1, 2], [vector(UNIT)])),
        ("select braid.store_embeddings(%s, %s::vector[])", ([1, 1], [vector(UNIT), vector(UNIT)])),
        ("select braid.store_embeddings(%s, %s::vector[])", ([1], [vector([1.0, 2.0])])),
        ("select braid.store_embeddings(%s, %s::vector[])", ([1], [vector([0.0] * 384)])),
        ("select braid.store_embeddings(%s, %s::vector[])", ([1], [None])),
        ("select * from braid.claim_embedding_jobs(%s, %s)", (0, "1 minute")),
        ("select * from braid.claim_embedding_jobs(%s, %s)", (1, "0")),
    ],
)
def test_what_is_refused(filled: Connection, call: str, values: tuple[Any, ...]) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue) as raised:
        filled.execute(call, values)
    assert raised.value.diag.message_hint
    assert pending(filled) == 6


def test_vectors_come_while_documents_change(db: Connection, dsn: str) -> None:
    """A worker and a writer lock the same chunks in one order, so they never deadlock."""
    problems: list[Exception] = []
    stop = threading.Event()

    def embed() -> None:
        try:
            with connect(dsn) as worker:
                while not stop.is_set():
                    if jobs := claim(worker, 100, "1 millisecond"):
                        store(worker, sorted(jobs, reverse=True))
        except Exception as error:
            problems.append(error)

    workers = [threading.Thread(target=embed) for _ in range(2)]
    for worker in workers:
        worker.start()
    try:
        for version in range(25):
            upsert(db, [{"external_id": f"d{n}", "content": f"version {version} {n}"} for n in range(60)])
    except psycopg.Error as error:
        problems.append(error)
    stop.set()
    for worker in workers:
        worker.join()
    assert not problems
    while jobs := claim(db, 100, "1 millisecond"):
        store(db, list(jobs))
        db.execute("select pg_sleep(0.002)")
    assert pending(db) == 0
    assert len(semantic(db, UNIT)) == 60
