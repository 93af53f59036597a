"""The monitoring views agree with the tables, and only roles that may monitor can read them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import psycopg
import pytest

from support.calls import one, set_tenant, upsert
from support.nearest import maintain, set_threshold, store

Connection = psycopg.Connection[Any]
VIEWS = [
    "storage",
    "tenant_storage",
    "storage_growth",
    "tenant_growth",
    "embedding_costs",
    "outbox",
    "index_health",
]


def documents(count: int, prefix: str = "d", words: str = "heron river") -> list[dict[str, Any]]:
    return [{"external_id": f"{prefix}{n}", "content": f"{words} {n}"} for n in range(count)]


@pytest.fixture
def two_tenants(db: Connection) -> Connection:
    upsert(db, documents(30))
    db.execute("select braid.create_tenant('other')")
    set_tenant(db, "other")
    upsert(db, documents(10, words="many words of another tenant, ever so many of them, again and again"))
    set_tenant(db, "default")
    return db


def test_storage_is_what_the_server_says(two_tenants: Connection) -> None:
    db = two_tenants
    total = one(
        db,
        "select sum(pg_total_relation_size(oid)) from pg_class"
        " where relnamespace = 'braid_store'::regnamespace and relkind = 'r'",
    )
    assert one(db, "select sum(byte_count) from braid.storage") == total
    parts = db.execute("select part from braid.storage where table_name = 'chunks'").fetchall()
    assert {("rows",), ("toast",), ("chunks_pkey",)} <= set(parts)
    db.execute("vacuum analyze braid_store.chunks")
    assert one(db, "select row_estimate from braid.storage where table_name = 'chunks' and part = 'rows'") == 40


def test_shards_name_their_tenant(db: Connection) -> None:
    with_shard(db)
    rows = db.execute("select part, tenant, collection from braid.storage where table_name like 'vectors%'").fetchall()
    assert {row[1:] for row in rows} == {("default", "c")}
    assert "rows" in {row[0] for row in rows} and any(part.endswith("_hnsw") for part, _, _ in rows)
    row = db.execute(
        "select indexed_vector_count, vector_index_byte_count, byte_count from braid.tenant_storage"
        " where collection = 'c'"
    ).fetchone()
    assert row is not None and row[0] == 300 and row[2] > row[1] > 0
    assert row[1] == one(
        db,
        "select pg_indexes_size(('braid_store.' || table_name)::regclass) from braid.storage"
        " where starts_with(table_name, 'vectors_') limit 1",
    )


def with_shard(db: Connection) -> None:
    db.execute("select braid.create_collection('c', dimensions => 6, embedding_model => 'test', distance => 'l2')")
    set_threshold(db, 200, 6)
    rows = np.random.default_rng(0).standard_normal((300, 6), np.float32)
    store(db, {f"v{number}": row for number, row in enumerate(rows)}, "c")
    maintain(db)


def test_tenants_share_what_they_have_in_common(two_tenants: Connection) -> None:
    rows = two_tenants.execute(
        "select tenant, collection, chunk_count, token_count, byte_count from braid.tenant_storage order by tenant"
    ).fetchall()
    assert [row[:3] for row in rows] == [("default", "default", 30), ("other", "default", 10)]
    # The other tenant's chunks are longer, but fewer.
    assert rows[0][4] > rows[1][4] > rows[0][4] / 3
    shared = one(
        two_tenants,
        "select sum(pg_total_relation_size(('braid_store.' || t)::regclass))"
        " from unnest(braid_store.collection_tables()) t",
    )
    assert sum(row[4] for row in rows) == pytest.approx(shared, abs=2)


def test_sizes_of_a_large_database_do_not_overflow(two_tenants: Connection) -> None:
    # Bytes times tokens exceed a bigint.
    two_tenants.execute("update braid_store.segments set body_length = 1000000000000000")
    rows = two_tenants.execute("select tenant, byte_count > 0 from braid.tenant_storage order by 1").fetchall()
    assert rows == [("default", True), ("other", True)]


def test_sizes_are_noted_once_a_day(two_tenants: Connection) -> None:
    db = two_tenants
    assert db.execute("select * from braid.storage_growth").fetchall() == []
    maintain(db)
    today = one(db, "select (now() at time zone 'UTC')::date")
    tables = db.execute("select day, table_name, row_bytes, index_bytes, byte_count, growth from braid.storage_growth")
    found = {row[1]: row for row in tables.fetchall()}
    assert {row[0] for row in found.values()} == {today} and {row[5] for row in found.values()} == {None}
    assert "chunks" in found and found["chunks"][4] == found["chunks"][2] + found["chunks"][3] > 0
    parts = "select tenant, chunk_count, chunk_growth from braid.tenant_growth order by day, tenant"
    assert db.execute(parts).fetchall() == [("default", 30, None), ("other", 10, None)]
    upsert(db, documents(5, "more"))
    maintain(db)
    assert db.execute(parts).fetchall() == [("default", 30, None), ("other", 10, None)]
    # On the next day, unchanged sizes are not noted again, and sizes that are too old are deleted.
    for days, table in ((1, "daily_table_sizes"), (1, "daily_part_sizes")):
        db.execute(f"update braid_store.{table} set day = day - {days}")
    db.execute("insert into braid_store.daily_table_sizes values (current_date - 500, 'chunks', 1, 1)")
    maintain(db)
    assert db.execute(parts).fetchall() == [("default", 30, None), ("other", 10, None), ("default", 35, 5)]
    growth = db.execute(
        "select day, growth is null from braid.storage_growth where table_name = 'chunks' order by day"
    ).fetchall()
    assert [row[1] for row in growth] == [True, False] and growth[-1][0] == today


def test_a_part_that_is_emptied_is_noted(two_tenants: Connection) -> None:
    db = two_tenants
    maintain(db)
    db.execute("update braid_store.daily_table_sizes set day = day - 1")
    db.execute("update braid_store.daily_part_sizes set day = day - 1")
    db.execute("select braid.delete_documents(array(select 'd' || n from generate_series(0, 29) n))")
    for _ in range(3):
        maintain(db)
    rows = db.execute("select chunk_count, chunk_growth from braid.tenant_growth where tenant = 'default' order by day")
    assert rows.fetchall() == [(30, None), (0, -30)]
    db.execute("select braid.drop_tenant('other', 'other')")
    assert one(db, "select count(*) from braid.tenant_growth where tenant = 'other'") == 0
    for _ in range(3):
        maintain(db)
    assert one(db, "select count(distinct tenant_id) from braid_store.daily_part_sizes") == 1
    db.execute("select braid.clear_collection()")
    assert one(db, "select count(*) from braid_store.daily_part_sizes") == 0


def test_old_sizes_go_in_batches(two_tenants: Connection) -> None:
    db = two_tenants
    db.execute(
        "insert into braid_store.daily_part_sizes"
        " select t.id, c.id, current_date - 401 - n, 1, 1, 0, 1"
        " from braid_store.tenants t, braid_store.collections c, generate_series(1, 2500) n"
        " where t.key = 'default' and c.name = 'default'"
    )
    assert one(db, "select braid_store.note_sizes('-infinity')") is False
    assert one(db, "select count(*) from braid.tenant_growth where day < current_date - 400") == 500
    assert one(db, "select braid_store.note_sizes('-infinity')") is True
    rows = db.execute("select day = (now() at time zone 'UTC')::date, tenant from braid.tenant_growth order by tenant")
    assert rows.fetchall() == [(True, "default"), (True, "other")]


def test_a_dropped_collection_leaves_no_sizes(db: Connection) -> None:
    db.execute("select braid.create_collection('c')")
    # All its documents were deleted before.
    db.execute(
        "insert into braid_store.daily_part_sizes"
        " select t.id, c.id, current_date - 5, 0, 0, 0, 0 from braid_store.tenants t, braid_store.collections c"
        " where t.key = 'default' and c.name = 'c'"
    )
    db.execute("select braid.drop_collection('c')")
    for _ in range(3):
        maintain(db)
    assert one(db, "select count(*) from braid_store.daily_part_sizes") == 0


def test_two_sessions_do_not_wait_for_each_other(dsn: str, two_tenants: Connection) -> None:
    with psycopg.connect(dsn) as first, psycopg.connect(dsn, autocommit=True) as second:
        first.execute("select braid.maintain()")
        done = second.execute("select braid.maintain()").fetchone()
        assert done is not None and done[0]["warnings"] == []
        first.commit()
        assert one(second, "select count(distinct day) from braid.storage_growth") == 1


def test_nobody_waits_for_a_table_that_is_being_dropped(dsn: str, db: Connection) -> None:
    with_shard(db)
    db.execute("select braid.rebuild_vector_index('c')")
    with psycopg.connect(dsn) as other:
        other.execute("lock table braid_store.vectors_1 in access exclusive mode")
        db.execute("update braid_store.vector_shards set state = 'retired'")
        db.execute("set statement_timeout = '3min'")
        for view in VIEWS:
            db.execute(f"select * from braid.{view}").fetchall()
        db.execute("select braid.status()")


def test_a_transaction_sees_what_it_has_locked_itself(db: Connection) -> None:
    total = one(db, "select sum(byte_count) from braid.storage")
    with db.transaction():
        db.execute("lock table braid_store.chunks in access exclusive mode")
        assert one(db, "select sum(byte_count) from braid.storage") == total
        assert one(db, "select (braid.status() -> 'bytes')::bigint") == total
        assert one(db, "select braid_store.note_sizes(now())") is True
        assert one(db, "select byte_count from braid.storage_growth where table_name = 'chunks'") > 0


def test_the_outbox_has_an_age(two_tenants: Connection) -> None:
    db = two_tenants
    chunk_ids = one(db, "select array_agg(chunk_id) from braid.list_embedding_jobs(null, 3)")
    give_up(db, chunk_ids[:1])
    db.execute("select braid.fail_embedding_jobs(%s, 'later')", (chunk_ids[1:2],))
    db.execute(
        "update braid_store.chunks set created_at = created_at - interval '2 days' where id = any (%s)", (chunk_ids,)
    )
    rows = db.execute(
        "select tenant, collection, waiting_count, claimable_count, failed_count, abandoned_count,"
        " age between interval '2 days' and interval '2 days 10 minutes' from braid.outbox order by tenant"
    ).fetchall()
    assert rows == [("default", "default", 29, 28, 1, 1, True), ("other", "default", 10, 10, 0, 0, False)]
    # All jobs are abandoned, so none waits.
    give_up(db, one(db, "select array_agg(chunk_id) from braid.list_embedding_jobs(null, 100)"))
    row = db.execute("select waiting_count, abandoned_count, oldest_at, age from braid.outbox where tenant = 'default'")
    assert row.fetchall() == [(0, 30, None, None)]


def give_up(db: Connection, chunk_ids: list[int]) -> None:
    db.execute(
        "update braid_store.embedding_jobs set claimed_until = 'infinity', last_error = 'no' where chunk_id = any (%s)",
        (chunk_ids,),
    )


def test_index_health(two_tenants: Connection) -> None:
    db = two_tenants
    with_shard(db)
    db.execute("select braid.delete_documents('{d1,d2,d3}')")
    rows = {
        (row[0], row[1]): row[2:]
        for row in db.execute(
            "select tenant, collection, segment_count > 0, chunk_count, dead_chunk_count, dead_share,"
            " waiting_chunk_count, vector_count, is_indexed, index_recall_10 is not null, measured_at is not null"
            " from braid.index_health"
        ).fetchall()
    }
    assert rows["default", "default"] == (True, 27, 3, 0.1, 27, None, None, False, False)
    assert rows["other", "default"] == (True, 10, 0, 0.0, 10, None, None, False, False)
    assert rows["default", "c"] == (True, 300, 0, 0.0, 0, 300, True, True, True)


def test_index_health_has_what_measure_index_recall_found(db: Connection) -> None:
    with_shard(db)
    made_at = one(db, "select measured_at from braid.index_health")
    measured = one(db, "select braid.measure_index_recall('c', 20) #> '{indexes,0}'")
    row = db.execute(
        "select shard, embedding_model, ef_search, index_recall_10, index_recall_10_error, index_recall_100,"
        " index_recall_100_error,"
        " measured_at from braid.index_health"
    ).fetchone()
    keys = ("shard", "embedding_model", "ef_search", "index_recall_10", "error_10", "index_recall_100", "error_100")
    assert row is not None and row[:-1] == tuple(measured[key] for key in keys) and row[-1] > made_at
    # An earlier version made the index, and it was not measured since.
    db.execute("update braid_store.vector_shards set measurement = null")
    row = db.execute("select index_recall_10, index_recall_10_error, measured_at from braid.index_health").fetchone()
    assert row is not None and row[0] is not None and row[1] is None and row[2] is not None


def test_costs_by_month_and_model(two_tenants: Connection) -> None:
    db = two_tenants
    assert db.execute("select * from braid.embedding_costs").fetchall() == []
    for tenant, model, cost in (("default", "m", 0.5), ("other", "m", 0.25), ("other", "free", None)):
        db.execute("select braid.record_embedding_usage(%s, %s, 2, 20, 300, 30, %s::numeric)", (tenant, model, cost))
    rows = db.execute(
        "select embedding_model, tenant_count, request_count, text_count, token_count, estimated_token_count,"
        " cost::float8,"
        " month = date_trunc('month', now() at time zone 'UTC')::date from braid.embedding_costs order by 1"
    ).fetchall()
    assert rows == [("free", 1, 2, 20, 300, 30, None, True), ("m", 2, 4, 40, 600, 60, 0.75, True)]
    rows = db.execute("select tenant, embedding_model from braid.embedding_usage()").fetchall()
    assert rows == [("default", "m"), ("other", "free"), ("other", "m")]


def test_who_may_look(db: Connection, make_login: Callable[..., str], connect_as: Callable[..., Connection]) -> None:
    upsert(db, documents(3))
    for kind in ("monitor", "service", "administrator"):
        session = connect_as(make_login(kind, kind))
        for view in VIEWS:
            session.execute(f"select * from braid.{view}").fetchall()
        assert one(session, "select tenant from braid.index_health") == "default"
    monitor = connect_as(make_login("watcher", "monitor"))
    for statement in (
        "select * from braid_store.chunks",
        "select * from braid_store.daily_part_sizes",
        "select * from braid.full_text_search('heron')",
        "select braid.maintain()",
        "select braid.create_tenant('x')",
        "select braid_store.list_sync()",
        "insert into braid.storage (part) values ('rows')",
    ):
        with pytest.raises((psycopg.errors.InsufficientPrivilege, psycopg.errors.UndefinedFunction)):
            monitor.execute(statement)
    reader = connect_as(make_login("reader", "braid_writer"))
    db.execute("select braid.add_tenant_member('default', %s)", (reader.info.user,))
    gateway = connect_as(make_login("gateway", "gateway"))
    for session in (reader, gateway):
        for view in VIEWS:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                session.execute(f"select * from braid.{view}")
    db.execute("select braid.remove_trusted_role(%s, 'monitor')", (monitor.info.user,))
    for view in VIEWS:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            monitor.execute(f"select * from braid.{view}")


def test_status_has_bytes(db: Connection) -> None:
    with_shard(db)
    shard = one(db, "select braid.status('c') #> '{collections,0,vectors,shards,0}'")
    table = f"braid_store.vectors_{shard['id']}"
    assert shard["bytes"] == one(db, "select pg_total_relation_size(%s::regclass)", table)
    total = one(db, "select (braid.status('c') -> 'bytes')::bigint")
    assert total == one(db, "select sum(byte_count) from braid.storage")


def test_usage_adds_up_by_tenant_and_model(db: Connection) -> None:
    record = "select braid.record_embedding_usage(%s, %s, 1, 2, 30, %s, %s::numeric)"
    db.execute("select braid.create_tenant('other')")
    for tenant, model, cost in (("default", "m", None), ("default", "m", 0.5), ("default", "n", 1), ("other", "m", 2)):
        db.execute(record, (tenant, model, 5, cost))
    used = db.execute(
        "select tenant, embedding_model, day = (now() at time zone 'UTC')::date, request_count, text_count,"
        " token_count, estimated_token_count, cost::float8 from braid.embedding_usage()"
    )
    assert used.fetchall() == [
        ("default", "m", True, 2, 4, 60, 10, 0.5),
        ("default", "n", True, 1, 2, 30, 5, 1.0),
        ("other", "m", True, 1, 2, 30, 5, 2.0),
    ]
    with pytest.raises(psycopg.errors.UndefinedObject, match="nobody"):
        db.execute(record, ("nobody", "m", 0, None))
    db.execute("select braid.drop_tenant('other', 'other')")
    db.execute("select braid.maintain()")
    assert db.execute("select count(*) from braid_store.embedding_usage").fetchone() == (2,)


@pytest.mark.parametrize("usage", ["'m', -1, 1, 1", "'m', 1, null, 1", "'', 1, 1, 1", "'m', 1, 1, 1, cost => 'NaN'"])
def test_what_is_refused_of_usage(shared_db: Connection, usage: str) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue) as raised:
        shared_db.execute(f"select braid.record_embedding_usage('default', {usage})")
    assert raised.value.diag.message_hint


def test_partitions_count_as_their_table(partitioned_db: Connection) -> None:
    upsert(partitioned_db, documents(5))
    size = "select coalesce(sum(byte_count), 0) from braid.storage where table_name = 'postings_a' and part = 'rows'"
    assert one(partitioned_db, size) != 0
    assert one(partitioned_db, "select braid.status()") is not None
