"""Count the work of building vector indexes instead of timing it, and make a server slow."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import psycopg

Connection = psycopg.Connection[Any]
BUILD = "braid_store.build_hnsw"
BUILD_ARGUMENTS = "(shard braid_store.vector_shards, table_name text, condition text, memory_bytes float8)"


def count_comparisons(db: Connection) -> None:
    """Count the comparisons of two vectors, by the inner product of halfvec, of each build of an index. Maintenance
    takes each for a microsecond, instead of reading the clock. The table public.builds has the counts."""
    compared = "halfvec_negative_inner_product(halfvec, halfvec)"
    db.execute(f"alter function {compared} security definer")
    ((number,),) = db.execute("select %s::regprocedure::oid", (compared,)).fetchall()
    db.execute("set track_functions = 'all'")
    # The sessions of parallel workers count for themselves.
    db.execute("set max_parallel_maintenance_workers = 0")
    db.execute("create table public.builds (table_name text, comparisons float8)")
    db.execute("grant usage on schema public to public")
    db.execute("grant insert on public.builds to public")
    db.execute(f"alter function {BUILD} rename to build_hnsw_by_the_clock")
    db.execute(
        f"create function {BUILD}{BUILD_ARGUMENTS} returns float8 language plpgsql as $$"
        f" declare counted constant oid := {number}; comparisons float8;"
        " before float8 := coalesce(pg_stat_get_xact_function_calls(counted), 0); begin"
        " perform braid_store.build_hnsw_by_the_clock(shard, table_name, condition, memory_bytes);"
        " comparisons := pg_stat_get_xact_function_calls(counted) - before;"
        " insert into public.builds values (table_name, comparisons); return comparisons / 1e6; end $$"
    )


def make_slow(db: Connection, seconds: int) -> None:
    """Make maintenance believe that building any vector index takes these seconds."""
    for name in ("slow_index_seconds", "estimate_index_seconds"):
        db.execute(
            f"create or replace function braid_store.{name}(shard braid_store.vector_shards) returns float8"
            f" language sql as 'select {seconds}::float8'"
        )


def add_copied_vectors(db: Connection, vectors: npt.NDArray[Any]) -> None:
    """Add vectors of no chunk to the only shard, as if they had been copied from chunks that are gone since."""
    with db.cursor().copy("copy braid_store.vectors_1 (tenant_id, chunk_id, embedding) from stdin") as copy:
        for number, embedding in enumerate(np.round(vectors, 4).tolist(), start=10**9):
            copy.write_row((1, number, str(embedding)))
    db.execute("update braid_store.vector_shards set vector_count = vector_count + %s", (len(vectors),))
