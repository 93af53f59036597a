"""maintain() looks only at due work, forgets none of it, and keeps to its budget."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import psycopg
import pytest

from support.calls import set_tenant, upsert
from support.nearest import maintain, set_threshold, shards, store

Connection = psycopg.Connection[Any]
READ = """
select relname, seq_scan, seq_tup_read, coalesce(idx_scan, 0), coalesce(idx_tup_fetch, 0)
from pg_stat_xact_user_tables
where schemaname = 'braid_store' and (seq_scan > 0 or idx_scan > 0)
order by relname
"""


def maintain_once(db: Connection, budget: str | None = None) -> dict[str, Any]:
    row = db.execute("select braid.maintain(%s)", (budget,)).fetchone()
    assert row is not None
    return dict(row[0])


def add_idle_tenants(db: Connection, count: int, shards_each: int = 0) -> None:
    """Add tenants without due work; each has a document, an index segment and perhaps a vector shard."""
    db.execute(
        "with t as (insert into braid_store.tenants (key)"
        " select 'idle' || gen_random_uuid() from generate_series(1, %s) returning id),"
        " d as (insert into braid_store.documents (tenant_id, collection_id, external_id, content_hash)"
        " select id, 1, 'd', '' from t),"
        " s as (insert into braid_store.segments (tenant_id, collection_id, is_deletion, chunk_count, posting_count,"
        " body_length, title_length, k1, b, title_weight,"
        " average_length) select t.id, 1, false, 1, 1, 1, 0, c.k1, coalesce(c.b, braid_store.adaptive_b(1)),"
        " c.title_weight, 1"
        " from t, braid_store.collections c where c.id = 1)"
        " insert into braid_store.vector_shards (tenant_id, collection_id, vector_space_id, storage, hnsw_m,"
        " hnsw_ef_construction, state) select id, 1, 1, 'vector', 16, 64, 'serving' from t, generate_series(1, %s)",
        (count, shards_each),
    )


def read_by_maintain(db: Connection) -> dict[str, tuple[int, ...]]:
    db.execute("select pg_stat_force_next_flush()")  # otherwise it would count earlier work
    with db.transaction():
        assert maintain_once(db, "10 minutes")["complete"]
        return {row[0]: row[1:] for row in db.execute(READ).fetchall()}


def documents(count: int, prefix: str = "d") -> list[dict[str, Any]]:
    return [{"external_id": f"{prefix}{n}", "content": f"words of {prefix} number {n}"} for n in range(count)]


def test_idle_tenants_are_not_looked_at(db: Connection) -> None:
    maintain(db)
    add_idle_tenants(db, 20, shards_each=1)
    before = read_by_maintain(db)
    add_idle_tenants(db, 2000, shards_each=1)
    assert read_by_maintain(db) == before
    # Due work is found among the idle tenants.
    set_tenant(db, "default")
    upsert(db, documents(10))
    assert "segments" in read_by_maintain(db)
    assert read_by_maintain(db) == before


@pytest.mark.parametrize("isolation", ["read committed", "repeatable read"])
@pytest.mark.parametrize("other_notes", [False, True])
def test_a_write_that_commits_behind_maintenance_is_visited(
    db: Connection, dsn: str, isolation: str, other_notes: bool
) -> None:
    """A write that commits behind maintenance is visited. The writer finds the part noted and notes nothing;
    maintenance takes the note and cannot see the write yet."""
    upsert(db, documents(100))
    with psycopg.connect(dsn, autocommit=True) as writer:
        if not other_notes:
            maintain(db)
        writer.execute(f"begin isolation level {isolation}")
        writer.execute("select count(*) from braid_store.documents")
        if isolation == "repeatable read" and other_notes:
            maintain(db)  # the note that the writer's snapshot shows is gone
        writer.execute("select braid.delete_documents(%s)", ([f"d{n}" for n in range(50)],))
        assert maintain_once(db)["merges"] == 0
        assert maintain_once(db)["merges"] == 0
        writer.execute("commit")
    assert maintain_once(db)["merges"] == 1
    assert maintain_once(db)["merges"] == 0


def test_a_prepared_write_is_visited(db: Connection, dsn: str) -> None:
    if db.execute("show max_prepared_transactions").fetchone() == ("0",):
        pytest.skip("the server allows no prepared transactions")
    upsert(db, documents(100))
    with psycopg.connect(dsn, autocommit=True) as writer:
        writer.execute("begin")
        writer.execute("select braid.delete_documents(%s)", ([f"d{n}" for n in range(50)],))
        writer.execute("prepare transaction 'prepared'")
    assert maintain_once(db)["merges"] == 0
    db.execute("commit prepared 'prepared'")
    assert maintain_once(db)["merges"] == 1


def test_writes_to_a_part_that_is_noted_note_nothing(db: Connection) -> None:
    upsert(db, documents(1))
    db.execute("select pg_stat_force_next_flush()")
    with db.transaction():
        upsert(db, documents(20, "more"))
        changed = db.execute(
            "select n_tup_ins + n_tup_upd + n_tup_del from pg_stat_xact_user_tables where relname = 'due_parts'"
        ).fetchone()
        assert changed == (0,)


def test_an_undeclared_attribute_of_many_tenants_goes_in_many_short_calls(db: Connection) -> None:
    db.execute("""select braid.set_indexed_attributes('{"year": "number", "team": "text"}')""")
    for tenant in ("first", "middle", "last"):
        db.execute("select braid.create_tenant(%s)", (tenant,))
        set_tenant(db, tenant)
        upsert(db, [{**d, "metadata": {"year": 2026, "team": "a"}} for d in documents(30)])
        add_idle_tenants(db, 500)
    maintain(db)
    db.execute("""select braid.set_indexed_attributes('{"team": "text"}')""")
    assert any(maintain_once(db, "50 ms")["complete"] for _ in range(500))
    left = db.execute(
        "select a.name, count(*) from braid_store.chunk_attributes v"
        " join braid_store.indexed_attributes a on a.id = v.attribute_id group by 1"
    ).fetchall()
    assert left == [("team", 90)]
    # A day later, the attribute itself is deleted.
    db.execute("update braid_store.indexed_attributes set removed_at = removed_at - interval '25 hours'")
    maintain(db)
    assert db.execute("select name from braid_store.indexed_attributes").fetchall() == [("team",)]
    assert db.execute("select count(*) from braid_store.due_collections").fetchone() == (0,)


def test_a_call_makes_the_indexes_of_several_small_shards(db: Connection) -> None:
    set_threshold(db, 20, 3)
    rng = np.random.default_rng(1)
    names = [f"c{n}" for n in range(5)]
    for name in names:
        db.execute("select braid.create_collection(%s, dimensions => 3)", (name,))
        store(db, {str(n): rng.normal(size=3) for n in range(30)}, name)
    maintain_once(db, "10 minutes")
    assert [[state for _, state in shards(db, name)] for name in names] == [["indexing"]] * 5
    maintain_once(db, "10 minutes")
    assert [[state for _, state in shards(db, name)] for name in names] == [["serving"]] * 5


def test_searches_without_an_index_are_told_before_maintenance_ever_runs(db: Connection) -> None:
    set_threshold(db, 50, 3)
    db.execute("select braid.create_collection('c', dimensions => 3)")
    call = "select braid.search_json(query_embedding => '[1,2,3]', collection => 'c') -> 'warnings'"
    store(db, {str(n): np.random.default_rng(n).normal(size=3) for n in range(40)}, "c")
    assert db.execute(call).fetchone() == ([],)
    store(db, {f"{n}a": np.random.default_rng(n + 50).normal(size=3) for n in range(40)}, "c")
    (warnings,) = db.execute(call).fetchone() or ((),)
    assert [warning["code"] for warning in warnings] == ["vectors_not_indexed"]


def test_a_merge_is_begun_within_a_budget_only_if_it_fits(db: Connection) -> None:
    upsert(db, documents(100))
    db.execute("select braid.delete_documents(%s)", ([f"d{n}" for n in range(50)],))
    db.execute("update braid_store.upkeep_rates set postings_per_second = 20")
    done = maintain_once(db, "5 s")
    assert done["merges"] == 0 and not done["complete"] and done["seconds_needed"] > 20
    done = maintain_once(db)
    assert done["merges"] == 1 and done["complete"] and "seconds_needed" not in done


def test_a_budget_that_a_merge_needs_is_that_of_the_least_merge(db: Connection) -> None:
    """If the budget is too small for any merge, maintain reports the seconds that the smallest merge would need: here a
    merge of eight of the 24 segments."""
    for batch in range(24):
        text = " ".join(f"w{n}" for n in range(100))
        upsert(db, [{"external_id": f"{batch}-{n}", "content": text} for n in range(64)])
    db.execute("update braid_store.upkeep_rates set postings_per_second = 10000")
    done = maintain_once(db, "5 s")
    row = db.execute("select count(*), 8 * max(posting_count) from braid_store.segments").fetchone()
    assert row is not None and row[0] == 24
    assert done["merges"] == 0 and done["seconds_needed"] == int(np.ceil(1.25 * row[1] / 10000 + 2))
    # That budget is enough. The merge has measured the server.
    assert maintain_once(db, f"{done['seconds_needed']} s")["merges"] > 0
    ((rate,),) = db.execute("select postings_per_second from braid_store.upkeep_rates").fetchall()
    assert rate != 10000


def test_it_waits_for_no_lock_longer_than_its_budget(db: Connection, dsn: str) -> None:
    for tenant in ("a", "b", "c", "d", "e", "f", "g", "h"):
        db.execute("select braid.create_tenant(%s)", (tenant,))
        set_tenant(db, tenant)
        upsert(db, documents(10))
    with psycopg.connect(dsn) as other:
        other.execute("lock table braid_store.segments in access exclusive mode")
        db.execute("set statement_timeout = '3min'")
        done = maintain_once(db, "1 s")
        # Each of the eight would cost a wait of 0.3 s.
        assert not done["complete"] and 0 < len(done["warnings"]) < 8
    assert maintain(db) >= 1


def test_a_part_that_fails_keeps_nobody_else_waiting(db: Connection, make_login: Callable[..., str]) -> None:
    for tenant in ("a", "b"):
        db.execute("select braid.create_tenant(%s)", (tenant,))
        set_tenant(db, tenant)
        upsert(db, documents(100))
        db.execute("select braid.delete_documents(%s)", ([f"d{n}" for n in range(50)],))
    set_tenant(db, "a")
    # The new constraint makes one tenant's merge fail.
    row = db.execute("select braid.current_tenant_id()").fetchone()
    assert row is not None
    db.execute(f"alter table braid_store.segments add constraint failing check (tenant_id <> {row[0]}) not valid")
    done = maintain_once(db)
    assert done["merges"] == 1 and not done["complete"] and 'tenant "a"' in done["warnings"][0]
    db.execute("alter table braid_store.segments drop constraint failing")
    done = maintain_once(db)
    assert done["merges"] == 1 and done["complete"]


def test_an_installation_meanwhile_is_a_warning(db: Connection, dsn: str) -> None:
    """An installation at the same time locks the tenants, and maintenance gives a warning with their names."""
    upsert(db, documents(100))
    db.execute("select braid.delete_documents(%s)", ([f"d{n}" for n in range(50)],))
    with psycopg.connect(dsn) as other:
        other.execute("lock table braid_store.tenants in access exclusive mode")
        done = maintain_once(db)
        assert not done["complete"] and "lock timeout" in done["warnings"][0]
    assert maintain(db) >= 1
