"""braid.rebuild_index makes the index anew from the chunks, while readers go on and writers wait."""

from __future__ import annotations

import threading
from typing import Any

import psycopg
import pytest

from support.bm25_model import Bm25Model, Tokenizer, approximately, stored_chunks
from support.calls import full_text, one, set_tenant, upsert
from support.waiting import PATIENCE, be_patient, until

Connection = psycopg.Connection[Any]
QUERY = "river amber w3"
WAITING = "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
TABLES = ("segments", "segment_chunks", "postings_a", "forward_rows", "tombstones")


def rows_of(db: Connection, query: str) -> list[tuple[Any, ...]]:
    return db.execute(query).fetchall()


def rebuild(db: Connection, collection: str = "default") -> int:
    return int(rows_of(db, f"select braid.rebuild_index('{collection}')")[0][0])


def assert_right(db: Connection, collection: str = "default") -> None:
    assert rows_of(db, f"select * from braid.check_index('{collection}')") == []
    expected = Bm25Model(stored_chunks(db, collection=collection), Tokenizer(db)).search(QUERY)
    assert expected
    assert full_text(db, QUERY, collection=collection) == approximately(expected)


@pytest.fixture
def indexed(db: Connection) -> Connection:
    for batch in range(5):
        upsert(
            db,
            [
                {
                    "external_id": f"d{batch}-{n}",
                    "title": f"Title {n}",
                    "content": f"river w{n} " + "amber " * (n % 3),
                }
                for n in range(6)
            ],
        )
    db.execute("select braid.delete_document('d1-' || n) from generate_series(0, 2) n")
    return db


def test_the_index_is_one_segment_without_deletions(indexed: Connection) -> None:
    before = full_text(indexed, QUERY)
    assert rebuild(indexed) == 27
    assert rows_of(indexed, "select is_deletion, chunk_count from braid_store.segments") == [(False, 27)]
    assert rows_of(indexed, "select count(*) from braid_store.tombstones") == [(0,)]
    assert_right(indexed)
    assert full_text(indexed, QUERY) == before
    upsert(indexed, [{"external_id": "d0-0", "content": "amber"}])
    indexed.execute("select braid.maintain()")
    assert_right(indexed)


@pytest.mark.parametrize(
    "damage",
    [
        "delete from braid_store.segments",
        "delete from braid_store.segment_chunks",
        "delete from braid_store.forward_rows",
        "truncate braid_store.segments, braid_store.segment_chunks, braid_store.postings_a, braid_store.forward_rows,"
        " braid_store.tombstones",
        "update braid_store.postings_a set document_frequency = 7, elements = '{2049}'",
        "insert into braid_store.tombstones select tenant_id, collection_id, id, 1 from braid_store.chunks"
        " on conflict do nothing",
        "update braid_store.segment_chunks set segment_id = segment_id + 1000000",
    ],
)
def test_it_repairs(indexed: Connection, damage: str) -> None:
    indexed.execute(damage)
    assert rows_of(indexed, "select * from braid.check_index()") != []
    assert rebuild(indexed) == 27
    assert_right(indexed)


def test_an_empty_part(db: Connection) -> None:
    assert rebuild(db) == 0
    assert rows_of(db, "select * from braid.check_index()") == []


@pytest.mark.any_version
def test_more_chunks_than_a_batch_has(db: Connection) -> None:
    upsert(db, [{"external_id": "d", "title": "Title", "content": "river 0"}])
    db.execute(
        "insert into braid_store.chunks (tenant_id, collection_id, document_id, chunk_index, content, token_count)"
        " select tenant_id, collection_id, document_id, n, 'river ' || n, 2"
        " from braid_store.chunks, generate_series(1, 20100) n"
    )
    assert rebuild(db) == 20101
    assert rows_of(db, "select chunk_count from braid_store.segments order by id") == [(20000,), (101,)]
    assert [hit[1] for hit in full_text(db, "20077")] == [20077]
    assert rows_of(db, "select * from braid.check_index()") == []


def test_other_tenants_and_collections_are_left_alone(indexed: Connection) -> None:
    def others() -> list[list[tuple[Any, ...]]]:
        return [
            rows_of(
                indexed,
                f"select t.ctid, t.xmin, t.* from braid_store.{table} t where tenant_id <> braid.current_tenant_id()"
                " or collection_id <> (select id from braid_store.collections where name = 'default') order by 1",
            )
            for table in TABLES
        ]

    indexed.execute("select braid.create_tenant('other')")
    indexed.execute("select braid.create_collection('second')")
    upsert(indexed, [{"external_id": "a", "content": "river amber"}], "second")
    set_tenant(indexed, "other")
    upsert(indexed, [{"external_id": "a", "content": "river amber"}])
    set_tenant(indexed, "default")
    before = others()
    assert rebuild(indexed) == 27
    assert others() == before
    assert_right(indexed)
    assert_right(indexed, "second")


def test_readers_go_on_and_writers_wait(indexed: Connection, dsn: str) -> None:
    before = full_text(indexed, QUERY)
    done: list[dict[str, str]] = []

    def write() -> None:
        with psycopg.connect(dsn, autocommit=True) as writer:
            done.append(upsert(writer, [{"external_id": "late", "content": "river late"}]))

    with (
        psycopg.connect(dsn, autocommit=True) as reader,
        psycopg.connect(dsn, autocommit=True) as other,
    ):
        reader.execute("set statement_timeout = '3min'")
        indexed.execute("begin")
        rebuild(indexed)
        assert full_text(reader, QUERY) == before
        assert rows_of(reader, "select * from braid.check_index()") == []
        # A merge skips the part instead of waiting.
        reader.execute("select braid.maintain()")
        # Other tenants' writers go on, and so do this tenant's writers in other collections.
        other.execute("set statement_timeout = '3min'")
        other.execute("select braid.create_collection('second')")
        upsert(other, [{"external_id": "a", "content": "river"}], "second")
        other.execute("select braid.create_tenant('other')")
        set_tenant(other, "other")
        upsert(other, [{"external_id": "a", "content": "river"}])
        thread = threading.Thread(target=write)
        thread.start()
        until(lambda: one(reader, WAITING))
        assert full_text(reader, QUERY) == before
        indexed.execute("commit")
        thread.join(PATIENCE)
    assert done == [{"late": "inserted"}]
    assert_right(indexed)


def test_it_waits_for_writers_and_indexes_what_they_wrote(indexed: Connection, dsn: str) -> None:
    counts: list[int] = []
    be_patient(indexed)

    def run() -> None:
        with psycopg.connect(dsn, autocommit=True) as other:
            counts.append(rebuild(other))

    with psycopg.connect(dsn, autocommit=True) as writer:
        writer.execute("begin")
        upsert(
            writer,
            [
                {"external_id": "new", "content": "river new"},
                {"external_id": "d0-0", "content": "amber"},
            ],
        )
        writer.execute("select braid.delete_document('d2-2')")
        thread = threading.Thread(target=run)
        thread.start()
        until(lambda: one(indexed, WAITING))
        writer.execute("commit")
        thread.join(PATIENCE)
    assert counts == [27]
    assert_right(indexed)


def test_a_rebuild_that_is_rolled_back_was_none(indexed: Connection) -> None:
    state = "select * from braid_store.postings order by segment_id, lexeme"
    before = rows_of(indexed, state)
    indexed.execute("begin")
    rebuild(indexed)
    indexed.execute("rollback")
    assert rows_of(indexed, state) == before
    assert_right(indexed)


@pytest.mark.parametrize("level", ["repeatable read", "serializable"])
def test_it_refuses_a_snapshot_of_the_transaction(indexed: Connection, level: str) -> None:
    with indexed.transaction():
        indexed.execute(f"set transaction isolation level {level}")
        with pytest.raises(psycopg.errors.FeatureNotSupported, match=level) as raised:
            rebuild(indexed)
    assert raised.value.diag.message_hint


def test_a_collection_that_does_not_exist(db: Connection) -> None:
    with pytest.raises(psycopg.errors.UndefinedObject) as raised:
        rebuild(db, "absent")
    assert raised.value.diag.message_hint
