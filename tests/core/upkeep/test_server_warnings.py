"""status reports server settings that cost speed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from pgbraid import embedded
from support import temporary_folder
from support.calls import upsert

PROGRAM = [sys.executable, "-c", "from pgbraid.cli import main; main()"]
WARNINGS = "select braid.status() -> 'warnings'"


@pytest.fixture
def home() -> Iterator[Path]:
    folder = temporary_folder()
    yield folder
    embedded.stop(folder)
    shutil.rmtree(folder)


def pgbraid(home: Path, *arguments: str) -> str:
    env = {**os.environ, "PGBRAID_DATA_DIR": str(home)}
    return subprocess.run([*PROGRAM, *arguments], env=env, capture_output=True, text=True, check=True).stdout


def codes(connection: psycopg.Connection[Any], **settings: str) -> list[str]:
    for name, value in settings.items():
        connection.execute("select set_config(%s, %s, false)", (name, value))
    row = connection.execute(WARNINGS).fetchone()
    assert row is not None
    return [warning["code"] for warning in row[0]]


def test_settings_that_cost_speed_are_told_to_administrators(home: Path, pg_version: int) -> None:
    embedded.ensure_running(home, pg_version)
    embedded.stop(home)
    with open(home / "postgres" / "postgresql.conf", "a") as configuration:
        configuration.write("shared_buffers = 4MB\nautovacuum = off\nfsync = off\n")
    assert [line for line in pgbraid(home, "init").splitlines() if line.startswith("warning: autovacuum is off")]

    dsn = embedded.ensure_running(home).dsn
    with psycopg.connect(dsn, autocommit=True) as db:
        assert codes(db) == ["autovacuum_off"]
        db.execute(
            "insert into braid_store.sparse_rows (tenant_id, collection_id, chunk_id, terms, weights)"
            " select 1, 1, n, repeat('x', 1500), '{1}' "
            "from generate_series(1, 4000) n"
        )
        db.execute("vacuum")
        assert codes(db) == ["autovacuum_off", "shared_buffers_small"]
        db.execute("truncate braid_store.sparse_rows")
        documents = [{"external_id": str(n), "content": " ".join(f"w{n}x{m}" for m in range(200))} for n in range(300)]
        upsert(db, documents, "default")
        db.execute("vacuum")
        assert codes(db) == ["autovacuum_off", "shared_buffers_small"]
        db.execute(
            "create table braid_store.vectors_99 as select array_fill(n, array[900])::vector(900) as v "
            "from generate_series(1, 400) n"
        )
        db.execute("create index vectors_99_hnsw on braid_store.vectors_99 using hnsw (v vector_l2_ops)")
        assert codes(db, maintenance_work_mem="1GB") == ["autovacuum_off", "shared_buffers_small"]
        found = ["autovacuum_off", "maintenance_work_mem_small", "shared_buffers_small"]
        assert codes(db, maintenance_work_mem="1MB") == found
        db.execute("create role reader login in role braid_reader")
        db.execute("select braid.add_tenant_member('default', 'reader')")

    lines = [line for line in pgbraid(home, "status").splitlines() if line.startswith("warning ")]
    assert [line.split()[1:4] for line in lines] == [["autovacuum", "is", "off:"], ["shared_buffers", "is", "4MB,"]]
    told = json.loads(pgbraid(home, "status", "--json"))["warnings"]
    assert [warning["code"] for warning in told] == [found[0], found[2]]
    with psycopg.connect(make_conninfo(dsn, user="reader"), autocommit=True) as reader:
        assert codes(reader) == []


def test_a_server_as_it_should_be_has_no_warning(db: psycopg.Connection[Any]) -> None:
    assert codes(db) == []
