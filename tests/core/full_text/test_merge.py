"""Segments are merged, and a merge loses nothing, brings nothing back and blocks nobody."""

from __future__ import annotations

import threading
from typing import Any

import psycopg
import pytest

from support import OtherSession
from support.bm25_model import Bm25Model, Tokenizer, approximately, stored_chunks
from support.calls import full_text, set_tenant, upsert
from support.waiting import be_patient, until

pytestmark = pytest.mark.tenant_of_its_own
Connection = psycopg.Connection[Any]
QUERY = "river amber"


def insert_one_by_one(db: Connection, count: int, first: int = 0) -> None:
    for number in range(first, first + count):
        upsert(db, [{"external_id": f"d{number:03}", "content": f"river w{number} " + "amber " * (number % 3)}])


def insert_by_eight(db: Connection, batches: int, first: int = 0) -> None:
    """Insert segments of eight chunks: one deleted chunk is not yet a reason to rewrite a segment. Every eighth
    batch merges them."""
    for batch in range(first, first + batches):
        upsert(db, [{"external_id": f"b{batch}-{n}", "content": f"river w{n} " + "amber " * n} for n in range(8)])


def count(db: Connection, table: str) -> int:
    row = db.execute(f"select count(*) from braid_store.{table}").fetchone()
    assert row is not None
    return int(row[0])


def assert_exact(db: Connection) -> None:
    model = Bm25Model(stored_chunks(db), Tokenizer(db))
    row = db.execute(
        "select s.* from braid_store.index_statistics(braid.current_tenant_id(), "
        "(select id from braid_store.collections where name = 'default')) s"
    ).fetchone()
    assert row == model.statistics
    assert full_text(db, QUERY) == approximately(model.search(QUERY))


def test_single_inserts_are_merged_as_they_come(db: Connection) -> None:
    insert_one_by_one(db, 200)
    assert count(db, "segments") <= 3 * 8
    assert count(db, "segment_chunks") == 200
    assert_exact(db)


def test_single_inserts_are_merged_beside_segments_too_large_for_that(db: Connection) -> None:
    """Single inserts are merged although the first tier holds more than a write may merge: the smallest segments are
    joined."""
    for batch in range(7):
        words = " ".join(f"v{batch}w{number}" for number in range(110))
        upsert(db, [{"external_id": f"b{batch}-{n}", "content": f"river {words}"} for n in range(63)])
    insert_one_by_one(db, 70)
    assert count(db, "segments") == 7 + 1 + 6
    assert_exact(db)


def test_tombstones_go_with_a_merge(db: Connection) -> None:
    upsert(db, [{"external_id": f"d{number}", "content": f"river w{number}"} for number in range(50)])
    db.execute("select braid.delete_document('d' || n) from generate_series(0, 4) n")
    assert (count(db, "tombstones"), count(db, "segment_chunks")) == (5, 50)
    assert_exact(db)
    db.execute("select braid.delete_document('d' || n) from generate_series(5, 20) n")
    db.execute("select braid.maintain()")
    # A segment is rewritten once a fifth of its chunks are dead.
    assert count(db, "tombstones") < 10
    assert count(db, "segment_chunks") == 29 + count(db, "tombstones")
    assert_exact(db)
    db.execute("select braid.delete_document('d' || n) from generate_series(21, 49) n")
    db.execute("select braid.maintain()")
    for table in ("segments", "segment_chunks", "postings", "forward_rows", "tombstones"):
        assert count(db, table) == 0, table


def test_chunks_without_a_word_leave_nothing_behind(db: Connection) -> None:
    upsert(db, [{"external_id": "dots", "content": "... !!! ..."}, {"external_id": "a", "content": "river"}])
    db.execute("select braid.delete_document('dots')")
    assert_exact(db)
    db.execute("select braid.delete_document('a')")
    db.execute("select braid.maintain()")
    assert count(db, "segment_chunks") == 0


def test_maintain_again_finds_nothing_to_do(db: Connection) -> None:
    insert_one_by_one(db, 30)
    db.execute("select braid.delete_document('d' || lpad(n::text, 3, '0')) from generate_series(0, 9) n")
    db.execute("select braid.maintain()")
    state = "select array_agg(s.id order by s.id) from braid_store.segments s"
    before = db.execute(state).fetchone()
    done = db.execute("select braid.maintain()").fetchone()
    assert done is not None
    assert done[0].pop("complete") is True
    assert not any(done[0].values())
    assert db.execute(state).fetchone() == before


def test_a_delete_that_commits_after_a_merge_began_stays_deleted(db: Connection, other_session: OtherSession) -> None:
    insert_by_eight(db, 7)
    with other_session(autocommit=True) as deleter, other_session(autocommit=True) as merger:
        deleter.execute("begin")
        deleter.execute("select braid.delete_document('b3-3')")
        merger.execute("begin")
        insert_by_eight(merger, 1, first=7)
        # The merge did not see the delete, and copied the chunk.
        assert (count(merger, "segments"), count(merger, "segment_chunks")) == (1, 64)
        deleter.execute("commit")
        assert "b3-3" not in {hit[0] for hit in full_text(db, QUERY)}
        assert_exact(merger)
        merger.execute("commit")
    assert "b3-3" not in {hit[0] for hit in full_text(db, QUERY)}
    assert count(db, "tombstones") == 1
    assert_exact(db)


def test_a_delete_that_commits_after_a_merge_stays_deleted(db: Connection, other_session: OtherSession) -> None:
    insert_by_eight(db, 7)
    with other_session(autocommit=True) as deleter:
        deleter.execute("begin")
        deleter.execute("select braid.delete_document('b3-3')")
        insert_by_eight(db, 1, first=7)
        assert count(db, "segments") == 1
        assert_exact(db)
        deleter.execute("commit")
    assert "b3-3" not in {hit[0] for hit in full_text(db, QUERY)}
    assert_exact(db)


def test_a_delete_made_while_a_merge_is_not_yet_committed_stays_deleted(
    db: Connection, other_session: OtherSession
) -> None:
    insert_by_eight(db, 7)
    with other_session(autocommit=True) as deleter, other_session(autocommit=True) as merger:
        merger.execute("begin")
        insert_by_eight(merger, 1, first=7)
        assert count(merger, "segments") == 1
        deleter.execute("set lock_timeout = '3min'")
        deleter.execute("select braid.delete_document('b3-3')")
        assert_exact(db)
        merger.execute("commit")
    assert "b3-3" not in {hit[0] for hit in full_text(db, QUERY)}
    assert_exact(db)
    db.execute("select braid.delete_document('b' || n || '-4') from generate_series(0, 7) n")
    db.execute("select braid.delete_document('b' || n || '-5') from generate_series(0, 7) n")
    db.execute("select braid.maintain()")
    assert count(db, "segment_chunks") == 47 + count(db, "tombstones")
    assert_exact(db)


BATCH_3 = "select braid.delete_documents(array(select 'b3-' || n from generate_series(0, 7) n))"


def test_all_chunks_of_a_segment_deleted_while_a_merge_is_not_yet_committed(
    db: Connection, other_session: OtherSession
) -> None:
    insert_by_eight(db, 7)
    with other_session(autocommit=True) as deleter, other_session(autocommit=True) as merger:
        merger.execute("begin")
        insert_by_eight(merger, 1, first=7)
        assert count(merger, "segments") == 1
        deleter.execute("set lock_timeout = '3min'")
        deleter.execute(BATCH_3)
        assert count(db, "tombstones") == 8
        assert_exact(db)
        merger.execute("commit")
    assert_exact(db)


def test_a_merge_while_a_delete_of_all_chunks_of_a_segment_is_not_yet_committed(
    db: Connection, other_session: OtherSession
) -> None:
    insert_by_eight(db, 7)
    with other_session(autocommit=True) as deleter:
        deleter.execute("begin")
        deleter.execute(BATCH_3)
        assert (count(deleter, "segments"), count(deleter, "tombstones")) == (6, 0)
        db.execute("set lock_timeout = '3min'")
        insert_by_eight(db, 2, first=7)
        assert_exact(db)
        deleter.execute("rollback")
        assert_exact(db)
        deleter.execute("begin")
        deleter.execute(BATCH_3)
        insert_by_eight(db, 8, first=9)
        deleter.execute("commit")
    assert not any(hit[0].startswith("b3-") for hit in full_text(db, QUERY))
    assert_exact(db)


def test_all_chunks_of_a_segment_deleted_under_a_snapshot_of_the_transaction(
    db: Connection, other_session: OtherSession
) -> None:
    insert_by_eight(db, 7)
    with other_session(autocommit=True) as deleter:
        deleter.execute("begin isolation level repeatable read")
        assert len(full_text(deleter, QUERY)) == 56
        insert_by_eight(db, 1, first=7)
        deleter.execute(BATCH_3)
        deleter.execute("commit")
    assert count(db, "tombstones") == 8
    assert_exact(db)


def test_a_merge_that_is_rolled_back_was_none(db: Connection, other_session: OtherSession) -> None:
    insert_by_eight(db, 7)
    db.execute("select braid.delete_document('b0-1')")
    before = full_text(db, QUERY)
    with other_session(autocommit=True) as merger:
        merger.execute("begin")
        insert_by_eight(merger, 4, first=7)
        assert count(merger, "segments where not is_deletion") == 4
        merger.execute("select braid.maintain()")
        merger.execute("rollback")
    assert full_text(db, QUERY) == before
    assert_exact(db)


def test_no_merge_under_a_snapshot_of_the_transaction(db: Connection, other_session: OtherSession) -> None:
    insert_by_eight(db, 7)
    with other_session(autocommit=True) as writer:
        writer.execute("begin isolation level repeatable read")
        assert len(full_text(writer, QUERY)) == 56
        # Another session merges all segments that this session sees.
        insert_by_eight(db, 1, first=7)
        assert count(db, "segments") == 1
        insert_one_by_one(writer, 12, first=100)
        writer.execute("select braid.delete_document('b2-2')")
        assert count(writer, "segments where not is_deletion") == 7 + 12
        assert_exact(writer)
        writer.execute("commit")
    assert_exact(db)
    db.execute("select braid.maintain()")
    assert_exact(db)


def test_two_maintains_at_once(db: Connection, other_session: OtherSession) -> None:
    # A transaction with a fixed snapshot does not merge while it writes.
    with db.transaction():
        db.execute("set transaction isolation level repeatable read")
        insert_one_by_one(db, 64)
    assert count(db, "segments") == 64
    problems: list[Exception] = []

    def maintain() -> None:
        try:
            with other_session(autocommit=True) as connection:
                connection.execute("select braid.maintain('5 seconds')")
        except Exception as error:
            problems.append(error)

    threads = [threading.Thread(target=maintain) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
    assert count(db, "segments") <= 8
    assert_exact(db)


def test_a_clear_waits_for_a_merge_and_no_longer(db: Connection, other_session: OtherSession) -> None:
    """A clear waits for the present merge only, however much time maintain() has, because writers queue behind the
    clear."""
    be_patient(db)
    tenants = [f"tenant{number}" for number in range(6)]
    for tenant in tenants:
        db.execute("select braid.create_tenant(%s)", (tenant,))
        set_tenant(db, tenant)
        with db.transaction():
            db.execute("set transaction isolation level repeatable read")
            insert_by_eight(db, 8)
    db.execute(
        "create function braid_store.delay() returns trigger language plpgsql as"
        " 'begin perform pg_sleep(0.4); return null; end'"
    )
    db.execute("create trigger delay after delete on braid_store.segments execute function braid_store.delay()")
    done: list[dict[str, Any]] = []

    def maintain() -> None:
        with other_session(autocommit=True) as maintainer:
            row = maintainer.execute("select braid.maintain('10 minutes')").fetchone()
            assert row is not None
            done.append(row[0])

    thread = threading.Thread(target=maintain)
    thread.start()
    held = "select count(*) from pg_locks where relation::regclass::text like 'braid_locks.collection%' and granted"
    until(lambda: db.execute(held).fetchone() != (0,))
    # The drop concerns all tenants, so it waits for whichever merge is under way.
    assert db.execute("select braid.drop_collection('default')").fetchone() == (True,)
    thread.join()
    assert done[0]["merges"] < len(tenants) and not done[0]["complete"]


def test_maintain_does_not_rewrite_the_one_segment_that_another_merge_left(
    db: Connection, other_session: OtherSession
) -> None:
    """With seven of eight segments locked there is nothing to merge, and maintain() ends well before its time."""
    with db.transaction():
        db.execute("set transaction isolation level repeatable read")
        insert_by_eight(db, 8)
    with other_session(autocommit=True) as other:
        other.execute("begin")
        other.execute("select from braid_store.segments order by id limit 7 for update")
        row = db.execute("select braid.maintain('2 seconds')").fetchone()
        assert row is not None
        assert row[0]["merges"] <= 1
        other.execute("commit")
    db.execute("select braid.maintain()")
    assert count(db, "segments") == 1


def test_maintain_keeps_to_its_budget(db: Connection) -> None:
    with db.transaction():
        db.execute("set transaction isolation level repeatable read")
        insert_by_eight(db, 8)
    row = db.execute("select braid.maintain('1 microsecond')").fetchone()
    assert row is not None
    assert row[0]["complete"] is False
    assert_exact(db)
    for budget in ("0", "-1 second"):
        with pytest.raises(psycopg.errors.InvalidParameterValue) as raised:
            db.execute("select braid.maintain(%s)", (budget,))
        assert raised.value.diag.message_hint


def sequential_scans(db: Connection) -> int:
    db.execute("select pg_stat_force_next_flush()")
    row = db.execute(
        "select sum(seq_scan) from pg_stat_user_tables "
        "where relname in ('tombstones', 'segment_chunks', 'forward_rows', 'postings_a', 'segments')"
    ).fetchone()
    assert row is not None
    return int(row[0])


def test_a_session_that_knew_the_tables_small_does_not_read_them_whole(db: Connection) -> None:
    """A session that knew the tables as small does not scan them whole later. It keeps its plans, and for a table of
    one page the planner uses no index."""
    insert_one_by_one(db, 12)
    for table in ("tombstones", "segment_chunks", "forward_rows", "postings_a", "segments"):
        db.execute(f"vacuum analyze braid_store.{table}")
    for number in range(8):
        db.execute("select braid.delete_document(%s)", (f"d{number:03}",))
        db.execute("select braid.maintain()")
    insert_by_eight(db, 64)
    before = sequential_scans(db)
    assert db.execute("select braid.delete_documents(array(select external_id from braid_store.documents))").fetchone()
    db.execute("select braid.maintain()")
    assert count(db, "forward_rows") == 0
    # A scan for each of the 512 chunks would read five hundred times all rows.
    assert sequential_scans(db) - before < 100
