"""What is installed in a database."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import psycopg

from pgbraid.errors import PermissionDeniedError
from pgbraid.install.resources import migration_ids

Connection = psycopg.Connection[Any]

INSTALLATION = "braid_store.installation"
MIGRATIONS = "braid_store._yoyo_migration"


@dataclass(frozen=True)
class Installation:
    """An installed schema. `pending_migrations` is None for a login that may not read which are applied."""

    version: str
    sql_hash: str
    pending_migrations: tuple[str, ...] | None


def read_installation(connection: Connection) -> Installation | None:
    """The installation in the connection's database, None if there is none. Changes nothing.

    Raises `PermissionDeniedError` for a login that may not use pgbraid at all.
    """
    if not exists(connection, INSTALLATION):
        return None
    if not readable(connection, INSTALLATION):
        raise PermissionDeniedError(
            f"the login {connection.info.user} may not use pgbraid",
            hint=f"have an administrator run: grant braid_reader to {connection.info.user}",
        )
    row = connection.execute(f"select version, sql_hash from {INSTALLATION}").fetchone()
    if row is None:
        return None
    pending = None
    if readable(connection, MIGRATIONS):
        applied = applied_migrations(connection)
        pending = tuple(name for name in migration_ids() if name not in applied)
    return Installation(row[0], row[1], pending)


def applied_migrations(connection: Connection) -> frozenset[str]:
    if not exists(connection, MIGRATIONS):
        return frozenset()
    rows = connection.execute(f"select migration_id from {MIGRATIONS}").fetchall()
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


def readable(connection: Connection, relation: str) -> bool:
    schema, name = relation.split(".")
    row = connection.execute(
        "select pg_catalog.has_schema_privilege(n.oid, 'USAGE') and pg_catalog.has_table_privilege(c.oid, 'SELECT')"
        " from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace"
        " where n.nspname = %s and c.relname = %s",
        (schema, name),
    ).fetchone()
    return bool(row and row[0])
