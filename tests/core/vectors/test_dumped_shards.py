"""A dump holds vector shards in every state, and maintenance continues in the restored database."""

from __future__ import annotations

import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psycopg
import pytest
from psycopg import sql

from pgbraid import embedded
from pgbraid.embedded.programs import installed_programs
from pgbraid.install import install
from support.nearest import (
    Connection,
    assert_nearest,
    assert_shard_tables,
    begin_shard,
    maintain,
    search,
    serving_shard,
    set_threshold,
    shards,
    store,
)

SHARD_TABLE = """
select c.relowner::regrole::text, c.relrowsecurity, c.relacl::text, c.reloptions::text,
  obj_description(c.oid, 'pg_class'),
  (select array_agg(pg_get_expr(p.polqual, p.polrelid)) from pg_policy p where p.polrelid = c.oid),
  (select array_agg(row(a.attname, a.attstattarget, a.attstorage)::text order by a.attnum)
   from pg_attribute a where a.attrelid = c.oid and a.attnum > 0),
  (select array_agg(pg_get_indexdef(i.indexrelid) order by i.indexrelid) from pg_index i where i.indrelid = c.oid)
from pg_class c where c.oid = %s::regclass
"""


@pytest.fixture
def empty(server: embedded.Server) -> Iterator[str]:
    name = f"restored_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(server.dsn_for("postgres"), autocommit=True) as admin:
        admin.execute(sql.SQL("create database {} template template0").format(sql.Identifier(name)))
        try:
            yield server.dsn_for(name)
        finally:
            admin.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


@pytest.mark.parametrize("state", ["serving", "copying", "retired"])
def test_a_dump_with_a_shard(db: Connection, dsn: str, empty: str, pg_version: int, tmp_path: Path, state: str) -> None:
    rng = np.random.default_rng(1)
    vectors = {f"d{n:03}": row for n, row in enumerate(rng.standard_normal((300, 5), np.float32))}
    db.execute("select braid.create_collection('c', dimensions => 5, distance => 'l2')")
    set_threshold(db, 100, 5)
    store(db, vectors, "c")
    maintain(db)
    if state == "copying":
        begin_shard(db, "c", 120)
    elif state == "retired":
        db.execute("select braid.set_collection('c', '{\"hnsw_m\": 8}')")
        for _ in range(2):  # its predecessor still exists then
            db.execute("select braid.maintain()")
    assert state in {found for _, found in shards(db, "c")}
    new = {"new": np.ones(5, np.float32)}
    store(db, new, "c")
    vectors |= new

    programs, file = installed_programs(pg_version), tmp_path / "dump.sql"
    subprocess.run([programs / "pg_dump", "--file", file, dsn], check=True)
    restore = ["--quiet", "--no-psqlrc", "--set", "ON_ERROR_STOP=1", "--output", "/dev/null"]
    subprocess.run([programs / "psql", *restore, "--file", file, empty], check=True)
    query = np.zeros(5, np.float32)
    with psycopg.connect(empty, autocommit=True) as restored:
        assert shards(restored, "c") == shards(db, "c")
        table = f"braid_store.vectors_{serving_shard(db, 'c')}"
        assert restored.execute(SHARD_TABLE, (table,)).fetchone() == db.execute(SHARD_TABLE, (table,)).fetchone()
        for count in (10, 1000):
            found, mode, warnings = search(restored, query, "c", count)
            assert (mode, warnings) == ("hnsw" if count == 10 else "exact", [])
            assert (found, mode) == search(db, query, "c", count)[:2] or mode == "hnsw"
        assert_nearest(found, vectors, query, "l2", 1000)
    # The copy gets its own roles for its functions, and its shards stay as they are.
    report = install(empty)
    assert report.functions_applied and not report.migrations
    assert not install(empty).changed
    with psycopg.connect(empty, autocommit=True) as restored:
        highest = max(shard_id for shard_id, _ in shards(restored, "c"))
        restored.execute("select braid.set_collection('c', '{\"hnsw_m\": 9}')")
        maintain(restored)
        maintain(restored)
        shard = serving_shard(restored, "c")
        assert shard is not None and shard > highest
        assert_shard_tables(restored, {f"vectors_{shard}"})
        assert_nearest(search(restored, query, "c", 1000)[0], vectors, query, "l2", 1000)
        assert search(restored, query, "c", 10)[1] == "hnsw"
