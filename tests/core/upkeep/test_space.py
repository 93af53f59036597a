"""braid.maintain gives back the space of dead postings and vectors, without a vacuum, and loses nothing."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest

from support.calls import full_text, one, semantic, set_tenant, upsert
from support.nearest import set_threshold
from support.waiting import until

Connection = psycopg.Connection[Any]
WORDS = 3000
# Vacuum deals with 4,000,000 dead bytes, and a file grows by pages.
SMALL = 4_200_000
SIZE = "select pg_total_relation_size('braid_store.postings_a') + pg_total_relation_size('braid_store.postings_b')"
# Bytes of a row with its line pointer, and of its entry in the index.
LIVE = "select coalesce(sum(pg_column_size(p.*) + 4 + 40 + octet_length(p.lexeme)), 0) from braid_store.postings p"
LEFT = """
select pg_relation_size('braid_store.postings_' || translate(active, 'ab', 'ba')) from braid_store.posting_tables
"""


@pytest.fixture(autouse=True)
def _without_vacuum(db: Connection) -> None:
    for table in ("postings_a", "postings_b", "chunk_vectors"):
        db.execute(f"alter table braid_store.{table} set (autovacuum_enabled = off)")


@pytest.fixture
def other(dsn: str) -> Iterator[Connection]:
    with psycopg.connect(dsn, autocommit=True) as connection:
        yield connection


def document(number: int, version: int = 0) -> dict[str, Any]:
    draw = random.Random(f"{number}/{version}")
    words = [f"w{int(WORDS ** draw.random())}" for _ in range(70)]
    return {"external_id": f"d{number}", "content": " ".join(words)}


def write(db: Connection, numbers: Iterable[int], version: int = 0, batch: int = 100) -> None:
    numbers = list(numbers)
    for first in range(0, len(numbers), batch):
        upsert(db, [document(number, version) for number in numbers[first : first + batch]])


def maintain(db: Connection) -> int:
    """Maintain until nothing is left to do; return the number of calls."""
    for calls in range(1, 10):
        if one(db, "select braid.maintain('1 hour') -> 'complete'"):
            return calls
    raise AssertionError("maintain is never complete")


def found(db: Connection) -> list[Any]:
    return [full_text(db, query) for query in ("w1 w7", "w30 w400 w1999", "+w2 w11", "w3*")]


def assert_sound(db: Connection, before: list[Any]) -> None:
    assert found(db) == before
    assert db.execute("select * from braid.check_index()").fetchall() == []


def test_a_load_leaves_no_more_than_half_of_the_live_bytes_dead(db: Connection) -> None:
    write(db, range(2400))
    before = found(db)
    loaded = one(db, SIZE)
    maintain(db)
    assert one(db, "select count(*) from braid_store.segments") == 1
    assert one(db, SIZE) <= 1.5 * one(db, LIVE)
    assert one(db, SIZE) < loaded / 3
    assert one(db, LEFT) == 0
    assert_sound(db, before)


@pytest.mark.parametrize("batch", [1, 10])
def test_small_writes_leave_little(db: Connection, batch: int) -> None:
    for first in range(0, 600, 300):
        write(db, range(first, first + 300), batch=batch)
        maintain(db)
        assert one(db, SIZE) <= 1.5 * one(db, LIVE) + SMALL
    assert_sound(db, found(db))


def test_a_working_week_of_changes_leaves_little(db: Connection) -> None:
    write(db, range(1200))
    draw = random.Random(1)
    for day in range(1, 6):
        changed = draw.sample(range(1200), 300)
        write(db, changed[:250], version=day, batch=20)
        db.execute("select braid.delete_documents(%s)", ([f"d{number}" for number in changed[250:]],))
        maintain(db)
        assert one(db, SIZE) <= 1.5 * one(db, LIVE) + SMALL
    assert_sound(db, found(db))


def test_documents_of_others_do_not_keep_space(db: Connection, other: Connection) -> None:
    """A tenant with a few postings among the dead ones of another tenant has them moved."""
    db.execute("select braid.create_tenant('beside')")
    set_tenant(other, "beside")
    for batch in range(5):
        write(db, range(batch * 400, batch * 400 + 400))
        upsert(other, [{"external_id": f"d{batch}", "content": f"w1 w2 tree number {batch}"}])
    before, of_other = found(db), full_text(other, "tree w1")
    maintain(db)
    assert one(db, SIZE) <= 1.5 * one(db, LIVE)
    assert one(db, LEFT) == 0
    assert_sound(db, before)
    assert full_text(other, "tree w1") == of_other
    assert len(of_other) == 5


def test_a_snapshot_reads_what_it_read(db: Connection, dsn: str) -> None:
    write(db, range(2000))
    with psycopg.connect(dsn) as reader, reader.transaction():
        reader.execute("set transaction isolation level repeatable read")
        before = found(reader)
        db.execute("select braid.delete_documents(array['d1', 'd2', 'd3'])")
        for _ in range(4):
            assert not one(db, "select braid.maintain('1 hour') -> 'complete'")
            assert found(reader) == before
        assert one(db, LEFT) > 4_000_000
    maintain(db)
    assert one(db, LEFT) == 0
    assert one(db, SIZE) <= 1.5 * one(db, LIVE)


def test_a_write_that_began_before_the_change_is_kept(db: Connection, other: Connection) -> None:
    """A transaction whose snapshot shows the old table as the active one still writes there."""
    write(db, range(2000))
    active = "select active from braid_store.posting_tables"
    with other.transaction():
        other.execute("set transaction isolation level repeatable read")
        assert one(other, active) == "a"
        for _ in range(3):
            assert not one(db, "select braid.maintain('1 hour') -> 'complete'")
        assert one(db, active) == "b"
        upsert(other, [{"external_id": "late", "content": "w1 zebrafish"}])
        assert one(other, "select count(*) from braid_store.postings_a where lexeme = 'zebrafish'") == 1
    before = found(db)
    assert [hit[0] for hit in full_text(db, "zebrafish")] == ["late"]
    maintain(db)
    assert one(db, LEFT) == 0
    assert [hit[0] for hit in full_text(db, "zebrafish")] == ["late"]
    assert_sound(db, before)


def test_postings_that_are_being_merged_stay(db: Connection, other: Connection) -> None:
    write(db, range(2000))
    before = found(db)
    with other.transaction():
        other.execute("select from braid_store.segments order by id limit 1 for update")
        for _ in range(3):
            assert not one(db, "select braid.maintain('1 hour') -> 'complete'")
        assert one(db, "select count(*) from braid_store.postings_a") > 0
        assert one(db, "select count(*) from braid_store.postings_b") > 0
        assert found(db) == before
        assert full_text(other, "w1 w7") == before[0]
    maintain(db)
    assert one(db, LEFT) == 0
    assert_sound(db, before)


def test_a_merge_leaves_out_segments_whose_postings_move(db: Connection, other: Connection) -> None:
    write(db, range(600))
    maintain(db)
    ids = "select array_agg(id order by id) from braid_store.segments"
    before, hits = one(db, ids), found(db)
    db.execute("update braid_store.posting_tables set active = 'b', left_by = pg_current_xact_id()")
    db.execute("select braid.set_ranking('default', '{\"k1\": 1.5}')")  # every segment is due to be rewritten
    with other.transaction():
        assert one(other, "select moved_count from braid_store.empty_postings('infinity')") > 1000
        db.execute("select braid.maintain('5 seconds')")
        assert one(db, ids) == before
    maintain(db)
    assert set(one(db, ids)).isdisjoint(before)
    assert one(db, LEFT) == 0
    assert [[hit[:2] for hit in hits] for hits in found(db)] != []
    assert len(found(db)[0]) == len(hits[0])
    assert db.execute("select * from braid.check_index()").fetchall() == []


def test_postings_that_move_while_their_collection_is_reaped(db: Connection, other: Connection) -> None:
    db.execute("select braid.create_collection('gone')")
    upsert(db, [{"external_id": "d", "content": "words that are gone"}], "gone")
    db.execute("update braid_store.posting_tables set active = 'b', left_by = pg_current_xact_id()")
    waits = "select wait_event_type = 'Lock' from pg_stat_activity where pid = %s"
    with ThreadPoolExecutor(1) as pool:
        with other.transaction():
            assert one(other, "select moved_count from braid_store.empty_postings('infinity')") > 0
            db.execute("set lock_timeout = 0")
            dropped = pool.submit(lambda: db.execute("select braid.drop_collection('gone')").fetchone())
            until(lambda: dropped.done() or one(other, waits, db.info.backend_pid))
        assert dropped.result() is not None
    maintain(db)
    assert one(db, "select count(*) from braid_store.postings") == 0


def test_moved_vectors_give_their_space_back(db: Connection, dsn: str) -> None:
    set_threshold(db, 500, 512)
    db.execute("select braid.create_collection('v', dimensions => 512, embedding_model => 'any')")
    draw = random.Random(1)
    for first in range(0, 2400, 600):
        upsert(
            db,
            [
                {"external_id": f"d{n}", "content": "x", "embedding": [draw.gauss(0, 1) for _ in range(512)]}
                for n in range(first, first + 600)
            ],
            "v",
        )
    size = "select pg_relation_size('braid_store.chunk_vectors')"
    assert one(db, size) > 4_000_000
    query = [draw.gauss(0, 1) for _ in range(512)]
    before = semantic(db, query, collection="v", options={"exact": True})
    with psycopg.connect(dsn) as reader, reader.transaction():
        # This session still reads the vectors where they were.
        reader.execute("set transaction isolation level repeatable read")
        assert semantic(reader, query, collection="v", options={"exact": True}) == before
        for _ in range(5):
            assert not one(db, "select braid.maintain('1 hour') -> 'complete'")
        assert one(db, "select count(*) from braid_store.chunk_vectors") == 0
        assert one(db, size) > 4_000_000
        assert semantic(reader, query, collection="v", options={"exact": True}) == before
    maintain(db)
    assert one(db, size) == 0
    assert semantic(db, query, collection="v", options={"exact": True}) == before
