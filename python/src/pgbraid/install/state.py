"""What is installed in a database."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import psycopg

from pgbraid.install.resources import migration_ids

Connection = psycopg.Connection[Any]


@dataclass(frozen=True)
class Installation:
    """An installed schema. `sql_hash` and `pending_migrations` are None for a role that may not read them."""

    version: str
    sql_hash: str | None
    pending_migrations: tuple[str, ...] | None


def read_installation(connection: Connection) -> Installation | None:
    """The installation in the connection's database, None if there is none. Changes nothing."""
    if not exists(connection, "braid_store.installation"):
        return None
    if not readable(connection, "braid_store.installation"):
        if not exists_function(connection, "braid.version()"):
            return None
        row = connection.execute("select braid.version()").fetchone()
        return Installation(str(row[0]), None, None) if row and row[0] is not None else None
    row = connection.execute("select version, sql_hash from braid_store.installation").fetchone()
    if row is None:
        return None
    applied = applied_migrations(connection)
    return Installation(row[0], row[1], tuple(name for name in migration_ids() if name not in applied))


def applied_migrations(connection: Connection) -> frozenset[str]:
    if not exists(connection, "braid_store._yoyo_migration"):
        return frozenset()
    rows = connection.execute("select migration_id from braid_store._yoyo_migration").fetchall()
    return frozenset(row[0] for row in rows)


def exists(connection: Connection, relation: str) -> bool:
    # Not to_regclass: it refuses a name in a schema that the role may not use.
    schema, name = relation.split(".")
    row = connection.execute(
        "select exists (select from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace"
        " where n.nspname = %s and c.relname = %s)",
        (schema, name),
    ).fetchone()
    return bool(row and row[0])


def exists_function(connection: Connection, signature: str) -> bool:
    name = signature.partition("(")[0].split(".")
    row = connection.execute(
        "select exists (select from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace"
        " where n.nspname = %s and p.proname = %s)",
        tuple(name),
    ).fetchone()
    return bool(row and row[0])


def readable(connection: Connection, relation: str) -> bool:
    schema, name = relation.split(".")
    row = connection.execute(
        "select pg_catalog.has_schema_privilege(n.oid, 'USAGE') and pg_catalog.has_table_privilege(c.oid, 'SELECT')"
        " from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace"
        " where n.nspname = %s and c.relname = %s",
        (schema, name),
    ).fetchone()
    return bool(row and row[0])
