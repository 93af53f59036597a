"""Make two databases of the same content: one as the other checkout installed it, its copy upgraded by this checkout.

The links of an HNSW index are random, so the content is loaded once and copied with its indexes.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from benchmarks.changes.content import TENANTS, load
from pgbraid import embedded

HERE = Path(__file__).parents[3]
INSTALL = "from pgbraid.cli import main; main()"


@dataclass(frozen=True)
class Side:
    """Hold a checkout and the database that it installed or upgraded."""

    name: str
    checkout: Path
    server: embedded.Server

    def connect(self, user: str = "postgres") -> psycopg.Connection[Any]:
        db = psycopg.connect(self.server.dsn_for(self.name, user), autocommit=True)
        db.prepare_threshold = None
        db.execute("set timezone = 'UTC'")
        return db


def make_sides(server: embedded.Server, checkout: Path) -> tuple[Side, Side]:
    """Return the old and the new side, loaded and vacuumed."""
    old, new = Side("old", checkout.resolve(), server), Side("new", HERE, server)
    with psycopg.connect(server.dsn_for("postgres"), autocommit=True) as db:
        # Autovacuum would change plans and counts on one side only.
        db.execute("alter system set autovacuum = off")
        db.execute("select pg_reload_conf()")
        db.execute("create database old")
        install(old)
        for tenant in TENANTS:
            db.execute(f"create role {member(tenant)} login in role braid_writer")
        with old.connect() as loaded:
            load(loaded, member)
            loaded.execute("vacuum analyze")
        db.execute("create database new template old strategy file_copy")
    install(new)
    for side in (old, new):
        with side.connect() as installed:
            # An upgrade leaves two versions of each function's catalog rows; a new installation has one.
            installed.execute("vacuum full pg_proc, pg_description, pg_depend, pg_attribute, pg_type")
            installed.execute("vacuum analyze")
    return old, new


def member(tenant: str) -> str:
    """Return the login that is a member of the tenant."""
    return f"member_of_{tenant}"


def install(side: Side) -> None:
    """Install or upgrade with the side's own code, in a process of its own."""
    python = side.checkout / "python"
    source = python / "pgbraid" / "src"
    environment = os.environ | {"PYTHONPATH": str(source if source.exists() else python / "src")}
    command = [sys.executable, "-c", INSTALL, "init", "--dsn", side.server.dsn_for(side.name)]
    subprocess.run(command, env=environment, check=True)
