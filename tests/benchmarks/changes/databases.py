"""Make two databases of the same content, each installed and loaded by a checkout's own code.

The links of an HNSW index are random, so PostgreSQL's generator of random numbers gets the same seed before each index.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from benchmarks.changes.content import TENANTS, load
from benchmarks.server_code import compile_module
from pgbraid import embedded

HERE = Path(__file__).parents[3]
INSTALL = "from pgbraid.cli import main; main()"
# The searches need these parts, which a new database gets only if they are asked for.
PARTS = ("memory", "learning", "reranking", "transfer")
# Without a compiler, indexes differ: this width visits all vectors of the content, so that answers are exact.
WIDEST = 1000
WIDTHS = "update braid_store.vector_shards set {}, far_distance = null"
OF_WIDTHS = """
select string_agg(format('%%I = least(%%I, 0) + %%s', attname, attname, %s::int), ', ') from pg_attribute
where attrelid = 'braid_store.vector_shards'::regclass and attname ~ 'ef_search' and not attisdropped
"""
SEEDED = """
create function public.seed_random_numbers() returns event_trigger language c as {};
create event trigger seeded on ddl_command_start when tag in ('CREATE INDEX')
  execute function public.seed_random_numbers()
"""


@dataclass(frozen=True)
class Side:
    """Hold a checkout and the database that it installed."""

    name: str
    checkout: Path
    server: embedded.Server

    def connect(self, user: str = "postgres") -> psycopg.Connection[Any]:
        db = psycopg.connect(self.server.dsn_for(self.name, user), autocommit=True)
        db.prepare_threshold = None
        db.execute("set timezone = 'UTC'")
        return db


def make_sides(server: embedded.Server, checkout: Path, width: int | None) -> tuple[Side, Side]:
    """Return the old and the new side, loaded and vacuumed; all indexes are searched with the width, if given."""
    old, new = Side("old", checkout.resolve(), server), Side("new", HERE, server)
    module = compile_module(Path(__file__).with_name("seed_random_numbers.c"), server.dsn_for("postgres"))
    if module is None:
        print(f"without a C compiler the links of indexes differ: all searches have ef_search {WIDEST}")
        width = WIDEST
    with psycopg.connect(server.dsn_for("postgres"), autocommit=True) as db:
        # Autovacuum would change plans and counts on one side only.
        for name, value in {"autovacuum": "off", "max_parallel_maintenance_workers": "0"}.items():
            db.execute(f"alter system set {name} = {value}")
        db.execute("select pg_reload_conf()")
        for side in (old, new):
            db.execute(f"create database {side.name}")
            install(side)
        for tenant in TENANTS:
            db.execute(f"create role {member(tenant)} login in role braid_writer")
    for side in (old, new):
        with side.connect() as loaded:
            if module is not None:
                loaded.execute(sql.SQL(SEEDED).format(sql.Literal(str(module))))
            load(loaded, member)
            if width is not None:
                (columns,) = loaded.execute(OF_WIDTHS, (width,)).fetchall()[0]
                loaded.execute(WIDTHS.format(columns))
            loaded.execute("vacuum analyze")
    return old, new


def member(tenant: str) -> str:
    """Return the login that is a member of the tenant."""
    return f"member_of_{tenant}"


def install(side: Side) -> None:
    """Install with the side's own code, in a process of its own."""
    sources = (str(side.checkout / "python" / name / "src") for name in ("pgbraid", "pgbraid-tools"))
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sources)}
    command = [sys.executable, "-c", INSTALL, "init", "--dsn", side.server.dsn_for(side.name)]
    command += [argument for part in PARTS for argument in ("--with", part)]
    subprocess.run(command, env=environment, check=True)
