"""Compare ten thousand tenants in one database with some of them alone: `python -m benchmarks.tenants` in tests/."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import psycopg
from psycopg import sql

from benchmarks.tenants import measuring
from benchmarks.tenants.loading import Source, Tenant, create_tenants, load, maintain, prepare, zipf_tenants
from pgbraid import embedded
from pgbraid.install import install
from support import temporary_folder

SECTIONS = ("searches", "sessions", "visits", "catalogs", "upkeep", "views", "dump", "drop")
MANY = "many"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--postgres-version", type=int, default=embedded.DEFAULT_VERSION)
    parser.add_argument("--data-dir", type=Path, help="where the loaded databases are kept, or are already")
    parser.add_argument("--tenants", type=int, default=10_000)
    parser.add_argument("--largest", type=int, default=200_000, help="chunks of the largest tenant")
    parser.add_argument("--others", type=int, default=150_000, help="of all others together, by Zipf's law")
    parser.add_argument("--words", type=int, default=150, help="of a chunk")
    parser.add_argument("--shards-from", type=int, default=50, help="tenants of so many chunks get a vector index")
    parser.add_argument("--loaders", type=int, default=2, help="sessions that load")
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 10, 1000], help="tenants to search, 1 first")
    parser.add_argument("--queries", type=int, default=60)
    parser.add_argument("--visits", type=int, default=1000)
    parser.add_argument("--busy", type=int, default=100, help="tenants that write before maintain")
    parser.add_argument("--sections", nargs="+", choices=SECTIONS, default=SECTIONS)
    args = parser.parse_args()
    data_dir = args.data_dir or temporary_folder()
    try:
        server = embedded.ensure_running(data_dir, args.postgres_version)
        tenants = zipf_tenants(args.tenants, args.largest, args.others)
        print(
            f"PostgreSQL {server.version}; {args.tenants:,} tenants, the largest of {args.largest:,} chunks, the next "
            f"of {tenants[1].size:,}, the median of {tenants[len(tenants) // 2].size:,}",
            flush=True,
        )
        run(server, tenants, args)
    finally:
        embedded.stop(data_dir)
        if not args.data_dir:
            shutil.rmtree(data_dir)


def run(server: embedded.Server, tenants: list[Tenant], args: argparse.Namespace) -> None:
    many = server.dsn_for(MANY)
    alone = {rank: alone_of(server, tenants[rank - 1], args) for rank in args.ranks}
    if not exists(server, MANY):
        load_many(server, tenants, args)
    source = Source(args.words)
    middle = tenants[args.ranks[-1] - 1]
    # The busy tenants come from all sizes, also sizes with a table of vectors.
    busy = tenants[10 :: max(1, len(tenants) // args.busy)][: args.busy]
    if "searches" in args.sections:
        for rank, dsn in alone.items():
            measuring.searches(dsn, many, tenants[rank - 1], source, args.queries)
    if "sessions" in args.sections:
        measuring.first_searches(alone[middle.rank], many, middle, source)
    if "visits" in args.sections:
        measuring.visits(many, tenants[1 : args.visits + 1], source)
    if "catalogs" in args.sections:
        measuring.catalogs({"one tenant": alone[middle.rank], "all tenants": many})
    if "upkeep" in args.sections:
        measuring.idle_upkeep({"one tenant": alone[middle.rank], "all tenants": many})
        few = "busy"
        if not exists(server, few):
            dsn = prepare(server, few, busy, args.shards_from)
            load(dsn, busy, args.words, args.loaders)
            settle(dsn, few)
        measuring.busy_upkeep({"these alone": server.dsn_for(few), "among all": many}, busy, source)
    if "views" in args.sections:
        measuring.views(many)
    if "dump" in args.sections:
        measuring.dump(server, MANY)
    if "drop" in args.sections:
        measuring.drop(server, many, [tenants[-1], tenants[9], tenants[0]])


def exists(server: embedded.Server, database: str) -> bool:
    """Return whether an earlier run has made the database; if so, install the current functions."""
    with psycopg.connect(server.dsn_for("postgres"), autocommit=True) as db:
        if db.execute("select from pg_database where datname = %s", (database,)).fetchone() is None:
            return False
    install(server.dsn_for(database))
    return True


def alone_of(server: embedded.Server, tenant: Tenant, args: argparse.Namespace) -> str:
    """Return a database with only this tenant, which has the same documents as among the others."""
    name = f"alone_{tenant.rank}"
    if exists(server, name):
        return server.dsn_for(name)
    dsn = prepare(server, name, [tenant], args.shards_from)
    cpu = load(dsn, [tenant], args.words, 1, max(20_000, tenant.size))
    print(f"{name}: {tenant.size:,} chunks, {cpu * 1000 / tenant.size:.2f} ms of CPU a chunk to write", flush=True)
    settle(dsn, name)
    return dsn


def load_many(server: embedded.Server, tenants: list[Tenant], args: argparse.Namespace) -> None:
    """Load all other tenants into a copy of the first tenant's database, so that its vector index is the same."""
    with psycopg.connect(server.dsn_for("postgres"), autocommit=True) as db:
        template = sql.Identifier(f"alone_{tenants[0].rank}")
        db.execute(sql.SQL("create database {} template {} strategy file_copy").format(sql.Identifier(MANY), template))
    dsn, others = server.dsn_for(MANY), tenants[1:]
    with psycopg.connect(dsn, autocommit=True) as db:
        create_tenants(db, others)
    cpu = load(dsn, others, args.words, args.loaders)
    chunks = sum(tenant.size for tenant in others)
    print(f"{chunks:,} chunks of {len(others):,} tenants: {cpu * 1000 / chunks:.2f} ms of CPU a chunk to write")
    settle(dsn, MANY)


def settle(dsn: str, name: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as db:
        calls, seconds, warnings = maintain(db)
        row = db.execute("select count(*) from braid_store.vector_shards").fetchone()
        assert row is not None
        print(
            f"{name}: maintain took {seconds:.1f} s of CPU in {calls} calls, {len(warnings)} warnings; {row[0]} tables "
            "of vectors",
            flush=True,
        )
        for warning in warnings[:3]:
            print(f"  {warning}")
        db.execute("vacuum analyze")
        db.execute("checkpoint")


if __name__ == "__main__":
    main()
