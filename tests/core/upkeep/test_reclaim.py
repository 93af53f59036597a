"""pgbraid maintain reclaims the space of deleted rows and index entries."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from pgbraid import embedded
from pgbraid.cli import main
from pgbraid_tools.cli import reclaim
from support import clone
from support.calls import full_text, one, upsert

Connection = psycopg.Connection[Any]
NewDatabase = Callable[[], AbstractContextManager[str]]
WORDS = 2000
INVALID = "select count(*) from pg_index where not indisvalid"


@pytest.fixture(scope="module")
def filled(new_database: NewDatabase) -> Iterator[str]:
    """Yield the name of a database whose postings were written in 24 small segments and then merged."""
    with new_database() as dsn:
        with psycopg.connect(dsn, autocommit=True) as db:
            rng = np.random.default_rng(0)
            for batch in range(24):
                texts = (" ".join(f"w{word}" for word in rng.zipf(1.3, 60) % WORDS) for _ in range(64))
                upsert(db, [{"external_id": f"{batch}-{n}", "content": text} for n, text in enumerate(texts)])
            db.execute("select braid.maintain()")
        yield str(conninfo_to_dict(dsn)["dbname"])


@pytest.fixture
def dsn(request: pytest.FixtureRequest, server: embedded.Server, new_database: NewDatabase) -> Iterator[str]:
    """Yield a database: a copy of `filled` if the test uses `bloated`, otherwise a new one."""
    if "bloated" in request.fixturenames:
        with clone(server, request.getfixturevalue("filled")) as name:
            yield server.dsn_for(name)
    else:
        with new_database() as new:
            yield new


@pytest.fixture
def bloated(db: Connection) -> Connection:
    return db


@pytest.fixture
def other(dsn: str) -> Iterator[Connection]:
    with psycopg.connect(dsn, autocommit=True) as connection:
        yield connection


@pytest.fixture
def run(dsn: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[[], dict[str, Any]]:
    """Return a function that runs pgbraid maintain, with thresholds that suit a small database, and returns its
    output."""
    monkeypatch.setattr(reclaim, "MIN_EXCESS_BYTES", 100_000)
    monkeypatch.setattr(reclaim, "LOCK_TIMEOUT", "200ms")
    monkeypatch.setenv("PGBRAID_DSN", dsn)
    monkeypatch.setattr(sys, "argv", ["pgbraid", "maintain", "--seconds", "120"])

    def maintain() -> dict[str, Any]:
        with pytest.raises(SystemExit) as caught:
            main()
        assert not caught.value.code
        return dict(json.loads(capsys.readouterr().out))

    return maintain


def found(db: Connection) -> list[Any]:
    return [full_text(db, query) for query in ("w1 w7", "w30 w400 w1999", "+w2 w11")]


def loose(db: Connection) -> dict[str, float]:
    rows = db.execute(
        "select table_name || ' ' || part, byte_count, needed_byte_count from braid_store.relation_sizes()"
    ).fetchall()
    return {name: size / needed for name, size, needed in rows if size > 100_000 and size > 2 * needed}


def problems(db: Connection) -> int:
    return int(one(db, "select count(*) from braid.check_index()"))


def test_maintain_leaves_little_more_than_the_rows_need(bloated: Connection, run: Callable[[], dict[str, Any]]) -> None:
    before = found(bloated)
    bloated.execute("insert into braid_store.tombstones select 1, 1, -n, 1 from generate_series(1, 20000) n")
    bloated.execute("delete from braid_store.tombstones where chunk_id < 0")
    bloated.execute("vacuum braid_store.tombstones")
    assert "tombstones tombstones_pkey" in loose(bloated)
    # A killed reindex leaves an index like this.
    bloated.execute("create index tombstones_pkey_ccnew on braid_store.tombstones (tenant_id)")
    bloated.execute(
        "update pg_index set indisvalid = false where indexrelid = 'braid_store.tombstones_pkey_ccnew'::regclass"
    )
    done = run()
    assert done["complete"] and done["bytes_reclaimed"] > 100_000
    assert loose(bloated) == {}
    assert done["warnings"] == []
    assert one(bloated, INVALID) == 0
    assert found(bloated) == before
    assert problems(bloated) == 0


def test_nothing_grows_while_a_transaction_may_read_what_was_deleted(
    bloated: Connection, other: Connection, run: Callable[[], dict[str, Any]]
) -> None:
    run()
    sizes = "select pg_relation_size('braid_store.postings_a'), pg_table_size('braid_store.postings_a')"
    with other.transaction():
        other.execute("set transaction isolation level repeatable read")
        other.execute("select count(*) from braid_store.postings")
        bloated.execute("select braid.set_ranking('default', '{\"k1\": 1.5}')")  # every segment is rewritten
        run()
        first = bloated.execute(sizes).fetchone()
        assert first is not None
        warnings = [run()["warnings"] for _ in range(3)]
        last = bloated.execute(sizes).fetchone()
        assert last is not None
        assert last[0] - first[0] <= 10 * 8192 and last[1] - first[1] <= 30 * 8192
        of_tables = bloated.execute(
            "select indrelid, count(*) from pg_index where not indisvalid group by indrelid"
        ).fetchall()
        assert all(count == 1 for _, count in of_tables)
        assert all(any("lock timeout" in line for line in lines) for lines in warnings)
    before = found(bloated)
    done = run()
    assert done["complete"] and done["bytes_reclaimed"] > 100_000 and done["warnings"] == []
    assert one(bloated, INVALID) == 0
    assert found(bloated) == before
    assert problems(bloated) == 0


def test_a_step_that_fails_leaves_the_others(
    db: Connection, other: Connection, run: Callable[[], dict[str, Any]]
) -> None:
    upsert(db, [{"external_id": "d", "content": "words"}])
    db.execute("vacuum")
    database = one(db, "select current_database()")
    db.execute(f"alter database {database} set statement_timeout = '3min'")
    with other.transaction():
        other.execute("lock table braid_store.forward_rows in access exclusive mode")
        done = run()
    assert done["complete"]
    assert "measuring the tables: canceling statement due to lock timeout" in done["warnings"]


def test_only_the_owner_of_the_tables_reclaims_space(bloated: Connection, dsn: str) -> None:
    login = f"service_{one(bloated, 'select oid from pg_database where datname = current_database()')}"
    bloated.execute(f"create role {login} login")
    try:
        with psycopg.connect(dsn, user=login, autocommit=True) as service:
            assert reclaim.reclaim_space(service, float("inf"), []) is None
    finally:
        bloated.execute(f"drop role {login}")
