"""maintain() knows how long an index takes, and never puts it off for ever. Work is counted."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import psycopg
import pytest

from support import OtherSession
from support.nearest import maintain, set_threshold, shards, store
from support.upkeep import add_copied_vectors, count_comparisons, make_slow

Connection = psycopg.Connection[Any]


def once(db: Connection, budget: str | None = None) -> dict[str, Any]:
    row = db.execute("select braid.maintain(%s)", (budget,)).fetchone()
    assert row is not None
    return dict(row[0])


def copy_shard(db: Connection, dimensions: int = 3, count: int = 120) -> None:
    """Make a shard whose vectors are copied, and which waits for its index."""
    set_threshold(db, 100, dimensions)
    db.execute("select braid.create_collection('c', dimensions => %s)", (dimensions,))
    rng = np.random.default_rng(1)
    store(db, {str(n): rng.normal(size=dimensions) for n in range(count)}, "c")
    once(db, "5 minutes")
    assert states(db) == ["indexing"]


def states(db: Connection) -> list[str]:
    return [state for _, state in shards(db, "c")]


def pass_time(db: Connection, interval: str) -> None:
    db.execute("update braid_store.vector_shards set created_at = created_at - %s::interval", (interval,))


def topics(rng: np.random.Generator, count: int, dimensions: int) -> npt.NDArray[Any]:
    """Draw vectors of 50 topics, each of which has five dimensions of its own."""
    centres, axes = rng.normal(size=(50, dimensions)), rng.normal(size=(50, 5, dimensions))
    chosen = rng.integers(0, 50, count)
    return np.asarray(
        centres[chosen]
        + 0.3 * np.einsum("ni,nid->nd", rng.normal(size=(count, 5)), axes[chosen])
        + 0.05 * rng.normal(size=(count, dimensions))
    )


@pytest.mark.parametrize(
    ("kind", "count", "dimensions", "memory"),
    [("normal", 12000, 24, "64MB"), ("topics", 12000, 64, "5MB")],
)
def test_the_needed_seconds_are_right_within_a_half(
    db: Connection, kind: str, count: int, dimensions: int, memory: str
) -> None:
    """Samples tell how long the index takes, whatever the number, the dimensions and the distribution of vectors are,
    and whether or not the graph fits into memory. Each comparison of two vectors counts as a microsecond."""
    copy_shard(db, dimensions)
    rng = np.random.default_rng(count)
    normal = rng.normal(size=(count, dimensions))
    add_copied_vectors(db, topics(rng, count, dimensions) if kind == "topics" else normal)
    db.execute("update braid_store.vector_shards set hnsw_m = 6, hnsw_ef_construction = 24")
    db.execute(f"set maintenance_work_mem = '{memory}'")
    count_comparisons(db)
    needed = once(db, "1 s")["seconds_needed"]
    assert states(db) == ["indexing"]
    once(db)
    ((sampled, built),) = db.execute(
        "select sum(comparisons) filter (where table_name <> 'vectors_1') / 1e6,"
        " sum(comparisons) filter (where table_name = 'vectors_1') / 1e6 from public.builds"
    ).fetchall()
    # Two of the seconds are for other work, and one and a half for the measurement of the index.
    assert 1 / 1.5 < (needed - 3.5) / built < 1.5
    assert 0 < sampled < built / 2


def test_an_index_waits_once_for_its_measurement(db: Connection) -> None:
    """A later call remembers the seconds. A call that has a slow server's time for the index measures nothing."""
    copy_shard(db, count=1000)
    count_comparisons(db)
    measured = "select count(*) from public.builds"
    needed = once(db, "500 ms")["seconds_needed"]
    assert db.execute(measured).fetchone() == (2,)
    assert once(db, "500 ms")["seconds_needed"] == needed
    assert db.execute(measured).fetchone() == (2,)
    db.execute("update braid_store.vector_shards set seconds_needed = null")
    once(db, "1 minute")
    assert (states(db), db.execute(measured).fetchone()) == (["serving"], (3,))


def test_the_missing_time_is_told_everywhere(db: Connection) -> None:
    copy_shard(db)
    make_slow(db, 300)
    done = once(db, "5 s")
    assert (done["complete"], done["vector_steps"], done["seconds_needed"]) == (False, 0, 302)
    ((status, health, search),) = db.execute(
        "select braid.status('c') #> '{collections,0,vectors,shards,0,seconds_needed}',"
        " (select array_agg(severity || ': ' || finding) from braid.health() where code = 'vectors_not_indexed'),"
        " braid.search_json(query_embedding => '[1,2,3]', collection => 'c') #> '{warnings,0}'"
    ).fetchall()
    assert status == 302
    assert len(health) == 1 and health[0].startswith("problem: ") and "302 seconds" in health[0]
    assert search["code"] == "vectors_not_indexed" and "302" in search["message"]
    # A budget of that many seconds is enough.
    done = once(db, "302 s")
    assert done["vector_steps"] == 1 and "seconds_needed" not in done
    row = db.execute("select state, seconds_needed from braid_store.vector_shards").fetchone()
    assert row == ("serving", None)
    maintain(db)
    assert db.execute("select count(*) from braid.health() where code = 'vectors_not_indexed'").fetchone() == (0,)


def test_without_a_budget_an_index_is_built_however_long_it_takes(db: Connection) -> None:
    copy_shard(db)
    make_slow(db, 10**6)
    done = once(db)
    assert states(db) == ["serving"] and "seconds_needed" not in done


def test_calls_each_minute_end_with_an_index(db: Connection) -> None:
    """The budget of a job is always shorter than the index seems to take. The index is built as soon as it has waited
    that long."""
    copy_shard(db)
    make_slow(db, 165)
    calls = 0
    while states(db) == ["indexing"]:
        done = once(db, "50 seconds")
        calls += 1
        assert ("seconds_needed" in done) == (calls < 4)
        pass_time(db, "1 minute")
    assert calls == 4 and states(db) == ["serving"]


def test_a_short_budget_is_always_kept(db: Connection) -> None:
    """Somebody may wait for a short call, so it never begins an index that takes longer."""
    copy_shard(db)
    make_slow(db, 165)
    pass_time(db, "1 year")
    assert once(db, "5 seconds")["seconds_needed"] == 167 and states(db) == ["indexing"]
    once(db, "10 seconds")
    assert states(db) == ["serving"]


@pytest.mark.parametrize("budget", ["10 minutes", "50 seconds", None])
def test_an_index_that_the_server_would_cancel_is_not_begun(db: Connection, budget: str | None) -> None:
    copy_shard(db)
    make_slow(db, 165)
    pass_time(db, "1 year")
    db.execute("set statement_timeout = '2min'")
    done = once(db, budget)
    assert (done["vector_steps"], done["seconds_needed"], states(db)) == (0, 167, ["indexing"])
    assert "statement_timeout" in done["warnings"][0] and "165 seconds" in done["warnings"][0]
    db.execute("set statement_timeout = '1h'")
    assert once(db, budget)["warnings"] == [] and states(db) == ["serving"]


def test_an_interrupted_build_begins_anew(db: Connection) -> None:
    copy_shard(db)
    make_slow(db, 165)
    pass_time(db, "1 year")
    # The server cancels the call when the index has just been built.
    db.execute("alter function braid_store.build_hnsw rename to build_hnsw_to_the_end")
    db.execute(
        "create function braid_store.build_hnsw(shard braid_store.vector_shards, table_name text, condition text,"
        " memory_bytes float8) returns float8 language plpgsql as $$ begin"
        " perform braid_store.build_hnsw_to_the_end(shard, table_name, condition, memory_bytes);"
        " raise query_canceled; end $$"
    )
    with pytest.raises(psycopg.errors.QueryCanceled):
        once(db, "50 seconds")
    assert states(db) == ["indexing"]
    db.execute("drop function braid_store.build_hnsw")
    db.execute("alter function braid_store.build_hnsw_to_the_end rename to build_hnsw")
    once(db, "50 seconds")
    assert states(db) == ["serving"]


def test_two_maintainers_build_an_index_once(db: Connection, other_session: OtherSession) -> None:
    copy_shard(db)
    make_slow(db, 165)
    pass_time(db, "1 year")
    with other_session() as other:
        assert once(other, "50 seconds")["vector_steps"] == 1
        # The first call has not committed yet.
        done = once(db, "50 seconds")
        assert (done["vector_steps"], done["complete"]) == (0, False)
        assert states(db) == ["indexing"]
    assert states(db) == ["serving"]
    maintain(db)
    assert states(db) == ["serving"]
