"""The procedure run_maintenance goes on until nothing is left or its time is over, and commits between its steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import psycopg
import pytest

from support.calls import upsert
from support.nearest import set_threshold, shard_tables, shards, store
from support.upkeep import make_slow

Connection = psycopg.Connection[Any]


def call(db: Connection, budget: str | None = None) -> dict[str, Any]:
    row = db.execute("call braid.run_maintenance(%s)", (budget,)).fetchone()
    assert row is not None
    return dict(row[0])


def fill(db: Connection, count: int = 120) -> None:
    """Store enough vectors for a shard."""
    set_threshold(db, 100, 3)
    db.execute("select braid.create_collection('c', dimensions => 3)")
    store(db, {str(n): np.random.default_rng(n).normal(size=3) for n in range(count)}, "c")


def states(db: Connection) -> list[str]:
    return [state for _, state in shards(db, "c")]


@pytest.mark.parametrize("budget", [None, "10 minutes"])
def test_a_call_finishes_what_a_call_of_maintain_cannot(db: Connection, budget: str | None) -> None:
    """Copying, indexing, and forgetting what was copied each need a transaction."""
    fill(db)
    done = call(db, budget)
    assert (done["complete"], done["warnings"], states(db)) == (True, [], ["serving"])
    assert done["vector_steps"] >= 4 and "seconds_needed" not in done
    assert db.execute("select count(*) from braid_store.chunk_vectors").fetchone() == (0,)
    # With other settings, another shard takes its place, and the old one goes.
    db.execute("""select braid.set_collection('c', '{"hnsw_m": 8}')""")
    done = call(db, budget)
    assert (done["complete"], done["shards_dropped"], states(db)) == (True, 1, ["serving"])
    assert shard_tables(db) == {"vectors_2"}
    done = call(db, budget)
    assert done.pop("complete") and done.pop("warnings") == [] and not any(done.values())


def test_an_index_without_a_limit_is_built_however_long_it_takes(db: Connection) -> None:
    fill(db)
    make_slow(db, 10**6)
    assert call(db)["complete"] and states(db) == ["serving"]


def test_an_index_within_the_time_is_built_at_once(db: Connection) -> None:
    """A step has ten seconds, unless one needs more."""
    fill(db)
    make_slow(db, 165)
    assert call(db, "4 minutes")["complete"] and states(db) == ["serving"]


def test_a_job_each_minute_ends_with_an_index(db: Connection) -> None:
    fill(db)
    make_slow(db, 165)
    minutes = 0
    while "serving" not in states(db):
        done = call(db, "50 seconds")
        assert done["complete"] == (minutes == 3) == ("seconds_needed" not in done)
        minutes += 1
        db.execute("update braid_store.vector_shards set created_at = created_at - interval '1 minute'")
    assert minutes == 4


def test_each_step_stays_although_a_later_one_fails(db: Connection) -> None:
    """The call is cancelled while it builds an index; what was copied is committed."""
    fill(db)
    db.execute(
        "create or replace function braid_store.build_hnsw(shard braid_store.vector_shards, table_name text,"
        " condition text, memory_bytes float8) returns float8 language plpgsql as 'begin raise query_canceled; end'"
    )
    with pytest.raises(psycopg.errors.QueryCanceled):
        call(db)
    assert states(db) == ["indexing"]


def test_what_waits_for_other_sessions_is_left(db: Connection, dsn: str) -> None:
    fill(db)
    call(db)
    with psycopg.connect(dsn) as other:
        other.execute("set transaction isolation level repeatable read")
        other.execute("select count(*) from braid_store.vector_shards")
        db.execute("""select braid.set_collection('c', '{"hnsw_m": 8}')""")
        # The other session may still read the old shard.
        done = call(db)
        assert (done["complete"], states(db)) == (False, ["retired", "serving"])
    done = call(db)
    assert (done["complete"], done["shards_dropped"], states(db)) == (True, 1, ["serving"])


def test_warnings_of_all_steps_are_told(db: Connection) -> None:
    upsert(db, [{"external_id": str(n), "content": f"words of {n}"} for n in range(100)])
    db.execute("select braid.delete_documents(%s)", ([str(n) for n in range(50)],))
    db.execute("alter table braid_store.segments add constraint failing check (chunk_count < 0) not valid")
    done = call(db, "2 s")
    assert not done["complete"] and {"failing" in warning for warning in done["warnings"]} == {True}


def test_it_refuses_a_transaction_of_the_caller(db: Connection) -> None:
    with pytest.raises(psycopg.errors.InvalidTransactionTermination), db.transaction():
        call(db)


def test_services_and_administrators_call_it(
    db: Connection, make_login: Callable[..., str], connect_as: Callable[..., Connection]
) -> None:
    fill(db)
    for other in ("braid_writer", "monitor", "gateway"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            call(connect_as(make_login("other", other)))
    assert call(connect_as(make_login("worker", "service")))["complete"]
    assert states(db) == ["serving"]
    assert call(connect_as(make_login("dba", "administrator")))["complete"]


def test_the_search_path_of_the_session_changes_nothing(db: Connection) -> None:
    """A procedure that commits cannot set its search_path. So it names the schema of everything that it uses."""
    fill(db)
    db.execute("create schema other")
    for number, (name, left, right, result) in enumerate(
        (
            ("+", "timestamptz", "interval", "timestamptz"),
            ("+", "int", "int", "int"),
            (">", "int", "int", "boolean"),
            (">", "float8", "int", "boolean"),
            (">", "float8", "float8", "boolean"),
        )
    ):
        db.execute(
            f"create function other.refuse_{number}(a {left}, b {right}) returns {result} language plpgsql"
            f" as $$ begin raise 'other.{name} was called'; end $$"
        )
        db.execute(
            f"create operator other.{name} (leftarg = {left}, rightarg = {right}, function = other.refuse_{number})"
        )
    for name, arguments, result in (("clock_timestamp", "", "timestamptz"), ("pg_sleep", "float8", "void")):
        db.execute(
            f"create function other.{name}({arguments}) returns {result} language plpgsql"
            f" as $$ begin raise 'other.{name} was called'; end $$"
        )
    for name in ("interval", "jsonb", "timestamptz", "float8", "int4"):
        db.execute(f"create domain other.{name} as pg_catalog.text check (false)")
    db.execute("set search_path = other, pg_catalog, braid_store")
    assert call(db, "10 minutes")["complete"] and states(db) == ["serving"]
