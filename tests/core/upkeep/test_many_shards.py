"""Very many tenants have due vector shards at once, as after a load.

Each shard that a call makes, indexes or drops stays locked until the call ends, and all sessions share the server's
lock table.
"""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from support.calls import set_tenant
from support.nearest import maintain_once, pass_a_day, set_threshold, shard_tables, shards, store

Connection = psycopg.Connection[Any]
TENANTS, MOST = 104, 100
LOCKED = """
select count(distinct c.oid)
from pg_locks l
join pg_class c on c.oid = l.relation
where l.pid = pg_backend_pid() and c.relkind = 'r' and c.relname ~ '^vectors_[0-9]+$'
"""


@pytest.mark.any_version
def test_a_call_makes_indexes_and_drops_a_hundred(db: Connection) -> None:
    db.execute("select braid.create_collection('c', dimensions => 3, embedding_model => 'm')")
    set_threshold(db, 1, 3)
    db.execute("select count(braid.create_tenant('t' || n)) from generate_series(1, %s) n", (TENANTS,))
    for number in range(1, TENANTS + 1):
        set_tenant(db, f"t{number}")
        store(db, {f"d{place}": [1, number, place] for place in range(3)}, "c")
    set_tenant(db, "")

    made, served, dropped = most_at_once(db)
    assert (made, served, dropped) == (MOST, MOST, 0)
    assert [state for _, state in shards(db, "c")] == ["serving"] * TENANTS

    # Set the state that earlier calls leave if they note this work and have no time for it.
    db.execute("update braid_store.vector_shards set forgotten_chunk_id = 0 where copied_chunk_id > 0")
    db.execute(
        "insert into braid_store.due_parts (tenant_id, collection_id, task, due_at)"
        " select tenant_id, collection_id, 'move_vectors', now() from braid_store.vector_shards"
    )
    assert not maintain_once(db, "1 hour")["complete"]
    assert len(unmoved(db)) >= TENANTS - MOST
    assert most_at_once(db) == (0, 0, 0)
    assert unmoved(db) == []

    # Each shard is visited once a day.
    pass_a_day(db)
    with db.transaction():
        assert not maintain_once(db, "1 hour")["complete"]
        row = db.execute(LOCKED).fetchone()
    assert row == (MOST,)

    db.execute("select braid.drop_collection('c')")
    made, served, dropped = most_at_once(db)
    assert (made, dropped) == (0, MOST)
    assert shard_tables(db) == set()


def most_at_once(db: Connection) -> tuple[int, int, int]:
    """Maintain until nothing is due; return the highest number of shards that one call has made, put into service,
    and dropped."""
    made = served = dropped = 0
    for _ in range(60):
        tables, serving = shard_tables(db), serving_count(db)
        done = maintain_once(db, "1 hour")
        assert done["warnings"] == []
        now = shard_tables(db)
        made, dropped = max(made, len(now - tables)), max(dropped, len(tables - now))
        served = max(served, serving_count(db) - serving)
        if done["complete"]:
            return made, served, dropped
    raise AssertionError(f"there is always more to do: {done}")


def unmoved(db: Connection) -> list[Any]:
    return db.execute("select id from braid_store.vector_shards where forgotten_chunk_id < copied_chunk_id").fetchall()


def serving_count(db: Connection) -> int:
    return sum(state == "serving" for _, state in shards(db, "c"))
