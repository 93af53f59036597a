"""Measure many tenants: searches, new sessions, memory, maintenance, views, dumps and drops.

Clocks are unreliable on a busy machine, so the figures are the server's CPU time. Compared calls take turns.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from benchmarks.tenants.loading import (
    SERVICE,
    Connection,
    Source,
    Tenant,
    cpu_of_ended,
    cpu_seconds,
    maintain,
)
from benchmarks.throughput import memory_of
from pgbraid import embedded
from pgbraid.embedded.programs import programs, server_account

SEARCHES = {
    "hybrid": "select external_id from braid.hybrid_search(%(query)s, %(vector)s::vector, collection => 'corpus')",
    "full text": "select external_id from braid.full_text_search(%(query)s, collection => 'corpus')",
}
CATALOG = """
select sum(pg_total_relation_size(c.oid)) / 1048576.0, (select count(*) from pg_class)
from pg_class c where c.relnamespace = 'pg_catalog'::regnamespace and c.relkind = 'r'
"""
VIEWS = {
    "health()": "select count(*) from braid.health()",
    "status()": "select braid.status()",
    **{
        view: f"select count(*) from braid.{view}"
        for view in (
            "storage",
            "tenant_storage",
            "storage_growth",
            "tenant_growth",
            "index_health",
            "outbox",
            "search_activity",
        )
    },
}


def connected(dsn: str, tenant: Tenant | None = None) -> Connection:
    """Connect as a service that acts for all tenants."""
    db: Connection = psycopg.connect(make_conninfo(dsn, user=SERVICE), autocommit=True)
    db.prepare_threshold = 0
    if tenant:
        choose(db, tenant)
    return db


def choose(db: Connection, tenant: Tenant) -> None:
    db.execute("select set_config('braid.tenant', %s, false)", (tenant.key,))


def cpu_ms(db: Connection, statement: str, values: dict[str, Any] | None = None) -> float:
    begun = cpu_seconds(db.info.backend_pid)
    db.execute(statement.encode(), values).fetchall()
    return (cpu_seconds(db.info.backend_pid) - begun) * 1000


def blocks(db: Connection, statement: str, values: dict[str, Any]) -> int:
    row = db.execute(f"explain (analyze, buffers, format json) {statement}".encode(), values).fetchone()
    assert row is not None
    plan = row[0][0]["Plan"]
    return int(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"])


def searches(alone: str, many: str, tenant: Tenant, source: Source, count: int) -> None:
    """Run the same searches of a tenant in a database of its own and among all others."""
    queries = [{"query": text, "vector": as_text(vector)} for text, vector in source.queries(count)]
    for kind, statement in SEARCHES.items():
        taken: list[list[float]] = [[], []]
        read: list[list[int]] = [[], []]
        with connected(alone, tenant) as one, connected(many, tenant) as all_:
            sessions = [(0, one), (1, all_)]
            for query in queries:
                one.execute(statement.encode(), query).fetchall()
                all_.execute(statement.encode(), query).fetchall()
            for number, query in enumerate(queries):
                for place, db in sessions if number % 2 else reversed(sessions):
                    taken[place].append(cpu_ms(db, statement, query))
            for query in queries[:20]:
                for place, db in sessions:
                    read[place].append(blocks(db, statement, query))
        cells = []
        for name, (one_, among) in {
            "p50": [statistics.median(t) for t in taken],
            "p95": [statistics.quantiles(t, n=20)[18] for t in taken],
        }.items():
            cells.append(f"{name} {one_:.2f} ms alone, {among:.2f} among all, {among / one_:.2f}x")
        one_, among = (statistics.mean(t) for t in read)
        cells.append(f"{one_:,.0f} and {among:,.0f} blocks, {among / one_:.2f}x")
        print(f"{kind}, tenant of {tenant.size:,} chunks: {'; '.join(cells)}", flush=True)


def as_text(vector: Any) -> str:
    return "[" + ",".join(f"{number:.7g}" for number in vector.tolist()) + "]"


def first_searches(alone: str, many: str, tenant: Tenant, source: Source, count: int = 9) -> None:
    """Measure new sessions: CPU with and without the session's start, and the second search."""
    (text, vector), *_ = source.queries(1)
    query = {"query": text, "vector": as_text(vector)}
    taken: dict[str, list[tuple[float, float, float]]] = {alone: [], many: []}
    for number in range(2 * count):
        dsn = (alone, many)[number % 2]
        with connected(dsn, tenant) as db:
            start = cpu_seconds(db.info.backend_pid) * 1000
            taken[dsn].append((start, cpu_ms(db, SEARCHES["hybrid"], query), cpu_ms(db, SEARCHES["hybrid"], query)))
    for name, dsn in (("alone", alone), ("among all", many)):
        start, first, second = (statistics.median(column) for column in zip(*taken[dsn], strict=True))
        print(
            f"a new session, {name}: {start:.1f} ms of CPU to start, {first:.1f} for the first search, {second:.1f} "
            "for the next",
            flush=True,
        )


def visits(many: str, tenants: Sequence[Tenant], source: Source) -> None:
    """Search for one tenant after another in one session, as behind a pooler; print its memory, and whether it
    becomes slower."""
    (text, vector), *_ = source.queries(1)
    query = {"query": text, "vector": as_text(vector)}
    with connected(many) as db:
        choose(db, tenants[-1])
        for _ in range(3):
            cpu_ms(db, SEARCHES["hybrid"], query)
        print(f"a session that has searched for one tenant: {own_memory(db)}", flush=True)
        for number, tenant in enumerate(tenants, 1):
            choose(db, tenant)
            cpu_ms(db, SEARCHES["hybrid"], query)
            if number in (10, 100, 300, len(tenants)):
                print(f"for {number:,}: {own_memory(db)}", flush=True)
        choose(db, tenants[-1])
        again = statistics.median(cpu_ms(db, SEARCHES["hybrid"], query) for _ in range(9))
    with connected(many, tenants[-1]) as db:
        fresh = statistics.median([cpu_ms(db, SEARCHES["hybrid"], query) for _ in range(12)][3:])
    print(f"a search of a small tenant then: {again:.2f} ms of CPU; in a session that knows no other: {fresh:.2f}")


def own_memory(db: Connection) -> str:
    _, private = memory_of(db.info.backend_pid)
    return "not told" if private is None else f"{private / 2**20:.1f} MB of its own"


def catalogs(databases: dict[str, str]) -> None:
    for name, dsn in databases.items():
        with psycopg.connect(dsn, autocommit=True) as db:
            row = db.execute(CATALOG).fetchone()
            assert row is not None
            print(f"{name}: catalogs of {row[0]:.1f} MB, {row[1]:,} relations", flush=True)


def idle_upkeep(databases: dict[str, str]) -> None:
    """Measure maintain() with nothing to do."""
    with ExitStack() as stack:
        opened = {name: stack.enter_context(psycopg.connect(dsn, autocommit=True)) for name, dsn in databases.items()}
        taken: dict[str, list[float]] = {name: [] for name in opened}
        for db in opened.values():
            maintain(db)
        for _ in range(7):
            for name, db in opened.items():
                taken[name].append(cpu_ms(db, "select braid.maintain()"))
    for name, found in taken.items():
        print(f"{name}: maintain() with nothing to do takes {statistics.median(found):.1f} ms of CPU", flush=True)


def busy_upkeep(databases: dict[str, str], tenants: Sequence[Tenant], source: Source) -> None:
    """Measure the maintenance after each of these tenants wrote fifty documents in five calls and deleted half."""
    for name, dsn in databases.items():
        with psycopg.connect(dsn, autocommit=True) as db:
            begun = cpu_seconds(db.info.backend_pid)
            for number, tenant in enumerate(tenants):
                choose(db, tenant)
                for call in range(5):
                    first = 50 * number + 10 * call
                    documents = [
                        {**document, "external_id": f"busy {call} {place}", "embedding": as_text(document["embedding"])}
                        for place, document in enumerate(source.documents(first, first + 10))
                    ]
                    db.execute(
                        "select count(*) from braid.upsert_documents(%s::jsonb, 'corpus')", (json.dumps(documents),)
                    ).fetchall()
                db.execute(
                    "select braid.delete_documents(%s::text[], 'corpus')",
                    ([f"busy {call} {place}" for call in range(5) for place in range(5)],),
                )
            written = cpu_seconds(db.info.backend_pid) - begun
            db.execute("select set_config('braid.tenant', '', false)")
            calls, seconds, warnings = maintain(db)
        print(
            f"{name}: {len(tenants)} tenants wrote, {written:.2f} s of CPU; maintain then took {seconds:.2f} s in "
            f"{calls} calls, {len(warnings)} warnings",
            flush=True,
        )


def views(many: str) -> None:
    with psycopg.connect(many, autocommit=True) as db:
        choose(db, Tenant(1, 0, 0))
        for name, statement in VIEWS.items():
            taken = min(cpu_ms(db, statement) for _ in range(2))
            print(f"{name}: {taken:,.0f} ms of CPU", flush=True)


def drop(server: embedded.Server, many: str, tenants: Sequence[Tenant]) -> None:
    """Drop each tenant, and measure the maintenance that frees its rows."""
    with psycopg.connect(many, autocommit=True) as db:
        for tenant in tenants:
            dropped = cpu_ms(db, f"select braid.drop_tenant('{tenant.key}', '{tenant.key}')")
            calls, seconds, warnings = maintain(db)
            print(
                f"drop_tenant, {tenant.size:,} chunks: {dropped:.1f} ms of CPU; maintain then took {seconds:.2f} s in "
                f"{calls} calls, {len(warnings)} warnings",
                flush=True,
            )


def dump(server: embedded.Server, database: str) -> None:
    """Run pg_dump, and pg_restore into another database; print clock seconds and the server's CPU seconds."""
    with psycopg.connect(server.dsn_for(database), autocommit=True) as db:
        row = db.execute("select pg_database_size(current_database())").fetchone()
        assert row is not None
    bin_dir = programs(server.version, server_account(), server.data_dir)
    file = Path(server.data_dir) / "dump"
    file.unlink(missing_ok=True)
    with psycopg.connect(server.dsn_for("postgres"), autocommit=True) as db:
        db.execute("drop database if exists restored with (force)")
        db.execute("create database restored")
    steps = {
        "pg_dump": ["pg_dump", "-Fc", "-Z", "1", "-f", str(file), server.dsn_for(database)],
        "pg_restore": ["pg_restore", "-d", server.dsn_for("restored"), str(file)],
    }
    for name, command in steps.items():
        started, begun = time.monotonic(), cpu_of_ended(server.pid)
        subprocess.run([str(bin_dir / command[0]), *command[1:]], check=True)
        # The CPU of sessions is known once they have ended.
        time.sleep(1)
        print(
            f"{name}: {time.monotonic() - started:.0f} s by the clock, {cpu_of_ended(server.pid) - begun:.0f} of CPU "
            f"in the server; the database has {row[0] / 2**20:,.0f} MB, the file {file.stat().st_size / 2**20:,.0f}",
            flush=True,
        )
    file.unlink()
    with psycopg.connect(server.dsn_for("postgres"), autocommit=True) as db:
        db.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier("restored")))
