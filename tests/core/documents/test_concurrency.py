"""Concurrent writers and writers that die leave an index that agrees with the chunks, and cause no deadlock."""

from __future__ import annotations

import random
import threading
import time
from functools import partial
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from support.bm25_model import Bm25Model, Tokenizer, approximately, stored_chunks
from support.calls import full_text, one, upsert
from support.waiting import PATIENCE, until

Connection = psycopg.Connection[Any]
WORDS = ["amber", "basket", "candle", "dolphin", "ember", "forest", "garden", "harbor", "the", "ORA-00942"]
TABLES = ["documents", "chunks", "segments", "segment_chunks", "postings", "forward_rows"]
TABLES += ["tombstones", "chunk_vectors", "embedding_jobs"]
WRITERS = 4
# Each writer makes CALLS calls, and at least SEARCHES searches run meanwhile.
CALLS, SEARCHES = 50, 10


def connect(dsn: str) -> Connection:
    return psycopg.connect(dsn, autocommit=True)


def assert_index_equals_chunks(db: Connection) -> None:
    model = Bm25Model(stored_chunks(db), Tokenizer(db))
    row = db.execute(
        "select s.* from braid_store.index_statistics(braid.current_tenant_id(), "
        "(select id from braid_store.collections where name = 'default')) s"
    ).fetchone()
    assert row == model.statistics
    for query in ("amber", "basket candle the", "ORA-00942 forest garden", "the"):
        assert full_text(db, query) == approximately(model.search(query))


def write_at_random(
    dsn: str, seed: int, searches: list[int], written: dict[str, str], problems: list[Exception]
) -> None:
    """Write batches over the same 30 documents in random order, with deletes and maintenance in between."""
    rng = random.Random(seed)
    version = 0
    try:
        with connect(dsn) as db:
            db.execute(f"set lock_timeout = '{PATIENCE}s'")
            while version < CALLS or (len(searches) < SEARCHES and not problems):
                choice = rng.random()
                version += 1
                if choice < 0.7:
                    marker = f"w{seed}v{version}"
                    numbers = rng.sample(range(30), rng.randint(1, 12))
                    contents = {n: f"{' '.join(rng.choices(WORDS, k=rng.randint(1, 9)))} {marker}" for n in numbers}
                    upsert(db, [{"external_id": f"d{n}", "content": text} for n, text in contents.items()])
                    # No other writer can lose this writer's own document.
                    upsert(db, [{"external_id": f"own{seed}", "content": marker}])
                    written[f"own{seed}"] = marker
                elif choice < 0.85:
                    with db.transaction(force_rollback=rng.random() < 0.3):
                        db.execute("select braid.delete_document(%s)", (f"d{rng.randrange(30)}",))
                elif choice < 0.95:
                    db.execute("select braid.update_metadata(%s, %s)", (f"d{rng.randrange(30)}", Jsonb({"v": version})))
                else:
                    db.execute("select braid.maintain('1 second')")
    except Exception as error:
        problems.append(error)


def test_writers_at_once(db: Connection, dsn: str) -> None:
    problems: list[Exception] = []
    written: dict[str, str] = {}
    searches: list[int] = []
    threads = [
        threading.Thread(target=write_at_random, args=(dsn, seed, searches, written, problems))
        for seed in range(WRITERS)
    ]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        # Each search reads one snapshot, so it finds one version of a document.
        hits = [hit[0] for hit in full_text(db, " ".join(WORDS))]
        assert len(hits) == len(set(hits))
        searches.append(len(hits))
    for thread in threads:
        thread.join()
    assert not problems
    assert len(written) == WRITERS
    for external_id, marker in written.items():
        assert [hit[0] for hit in full_text(db, marker) if hit[0] == external_id] == [external_id]
    assert_index_equals_chunks(db)
    db.execute("select braid.maintain()")
    assert_index_equals_chunks(db)
    # Every chunk is indexed once and waits for its vector; deleted chunks leave nothing.
    for table in ("segment_chunks", "forward_rows", "embedding_jobs"):
        row = db.execute(
            "select (select count(*) from braid_store.chunks), "
            "(select count(*) from braid_store.chunks c join "
            f"braid_store.{table} x on x.tenant_id = c.tenant_id and x.chunk_id = c.id), "
            f"(select count(*) from braid_store.{table} x "
            "where not exists (select from braid_store.tombstones t where t.chunk_id = x.chunk_id))"
        ).fetchone()
        assert row is not None
        assert row[0] == row[1] == row[2] > 0, table


def count_rows(db: Connection) -> dict[str, int]:
    counts = {}
    for table in TABLES:
        row = db.execute(f"select count(*) from braid_store.{table}").fetchone()
        assert row is not None
        counts[table] = row[0]
    return counts


def test_a_backend_that_dies_leaves_nothing_half_written(db: Connection, dsn: str) -> None:
    upsert(db, [{"external_id": f"d{n}", "content": f"amber basket {n}"} for n in range(20)])
    before = count_rows(db)
    batch = Jsonb([{"external_id": f"d{n}", "content": "candle " * 40 + str(n)} for n in range(3000)])
    at_work = "select query like '%%upsert_documents%%' from pg_stat_activity where pid = %s"
    # The backend is terminated earlier or later, from the first statement to the last.
    for wait in (0.05, 0.15, 0.3, 0.6):
        victim = connect(dsn)
        pid = victim.info.backend_pid
        errors: list[psycopg.Error] = []

        def write(victim: Connection = victim, errors: list[psycopg.Error] = errors) -> None:
            try:
                # The open transaction cannot end before the backend is terminated.
                victim.execute("begin")
                victim.execute("select count(*) from braid.upsert_documents(%s)", (batch,))
                victim.execute("select pg_sleep(30)")
            except psycopg.Error as error:
                errors.append(error)

        thread = threading.Thread(target=write)
        thread.start()
        until(partial(one, db, at_work, pid))
        time.sleep(wait)
        db.execute("select pg_terminate_backend(%s, 180000)", (pid,))
        thread.join()
        assert errors
        victim.close()
        assert count_rows(db) == before
        assert full_text(db, "candle") == []
        assert_index_equals_chunks(db)
    # The same batch then goes in: the dead backend holds no lock.
    db.execute("set lock_timeout = '3min'")
    row = db.execute("select count(*) from braid.upsert_documents(%s)", (batch,)).fetchone()
    assert row == (3000,)
    assert len(full_text(db, "candle", match_count=5000)) == 3000


def wait_until_blocked(db: Connection, waiting: Connection, by: Connection) -> None:
    blocked = "select %s = any (pg_blocking_pids(%s))"
    until(partial(one, db, blocked, by.info.backend_pid, waiting.info.backend_pid))


def test_a_job_that_comes_while_its_chunk_is_being_deleted(db: Connection, dsn: str) -> None:
    """A worker that stores a vector does not deadlock with a deletion of its chunk."""
    upsert(db, [{"external_id": name, "content": name} for name in ("amber", "basket")])
    first, second = sorted(chunk_id for chunk_id, _ in db.execute("select * from braid.claim_embedding_jobs(2)"))
    embeddings = [str([1.0] * 384)] * 2
    store = "select braid.store_embeddings(%s, %s::vector[])"
    # The second chunk keeps its job; the first gets a new job later, as in a model change.
    job = db.execute("select * from braid_store.embedding_jobs where chunk_id = %s", (first,)).fetchone()
    assert job is not None
    db.execute(store, ([first], embeddings[:1]))
    with connect(dsn) as enqueuing, connect(dsn) as holding, connect(dsn) as deleting, connect(dsn) as working:
        held = "select from braid_store.chunks where id = %s for key share"
        enqueuing.execute("begin")
        enqueuing.execute(held, (first,))
        enqueuing.execute("insert into braid_store.embedding_jobs values (%s, %s, %s, %s, %s, %s, %s)", job)
        holding.execute("begin")
        holding.execute(held, (second,))
        counts: dict[str, int] = {}

        def run(name: str, connection: Connection, statement: str, *arguments: object) -> None:
            row = connection.execute(statement.encode(), arguments).fetchone()
            assert row is not None
            counts[name] = row[0]

        delete = "select braid.delete_documents(%s)"
        threads = [
            threading.Thread(target=run, args=("deleted", deleting, delete, ["amber", "basket"])),
            threading.Thread(target=run, args=("stored", working, store, [first], embeddings[:1])),
        ]
        threads[0].start()
        wait_until_blocked(db, deleting, enqueuing)
        enqueuing.execute("commit")
        wait_until_blocked(db, deleting, holding)
        threads[1].start()
        wait_until_blocked(db, working, deleting)
        holding.execute("commit")
        for thread in threads:
            thread.join()
    assert counts == {"deleted": 2, "stored": 0}
    assert count_rows(db)["embedding_jobs"] == 0
