"""Share code between the engines inside PostgreSQL."""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

Connection = psycopg.Connection[Any]


def connect(dsn: str) -> Connection:
    return psycopg.connect(dsn, autocommit=True)


def create_database(dsn: str, name: str) -> bool:
    """Create a database if it is missing; return whether it was missing."""
    with connect(dsn) as db:
        if db.execute("select from pg_database where datname = %s", (name,)).fetchall():
            return False
        db.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
        return True


def settle(db: Connection) -> None:
    db.execute("vacuum analyze")
    db.execute("checkpoint")


def database_size(dsn: str, name: str) -> int:
    """Return the bytes of a database's files without the catalog, which every database has."""
    with connect(make_conninfo(dsn, dbname=name)) as db:
        row = db.execute(
            "select sum(pg_total_relation_size(c.oid))::bigint from pg_class c"
            " join pg_namespace n on n.oid = c.relnamespace"
            " where c.relkind in ('r', 'm') and n.nspname not in ('pg_catalog', 'information_schema')"
        ).fetchone()
    assert row is not None
    return int(row[0])


def version(db: Connection) -> str:
    row = db.execute(
        "select current_setting('server_version'), (select extversion from pg_extension where extname = 'vector')"
    ).fetchone()
    assert row is not None
    return f"PostgreSQL {row[0].split()[0]}" + (f", pgvector {row[1]}" if row[1] else "")
