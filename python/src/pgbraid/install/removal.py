"""Removing pgbraid from a database."""

from __future__ import annotations

from dataclasses import dataclass

import psycopg
from psycopg import sql

from pgbraid.install.installer import ROLES
from pgbraid.install.session import Notify, installer_session, retrying
from pgbraid.install.state import Connection


@dataclass(frozen=True)
class UninstallReport:
    """What was removed. `roles_kept` says why the cluster's braid_* roles stayed, None if they are gone."""

    schemas: tuple[str, ...]
    roles_kept: str | None


def uninstall(dsn: str, *, notify: Notify = lambda _: None) -> UninstallReport:
    """Drop the schemas `braid` and `braid_store` with all documents in them and everything that depends on them,
    and the braid_* roles unless another database of the cluster uses them. pgvector stays."""
    with installer_session(dsn, notify) as connection:
        schemas = tuple(
            name
            for (name,) in connection.execute(
                "select nspname from pg_catalog.pg_namespace where nspname in ('braid', 'braid_store') order by 1"
            )
        )
        retrying(lambda: _drop_schemas(connection))
        return UninstallReport(schemas, _drop_roles(connection))


def _drop_schemas(connection: Connection) -> None:
    with connection.transaction():
        connection.execute("drop schema if exists braid, braid_store cascade")
        # What they were granted elsewhere in this database, such as the schema of pgvector.
        rows = connection.execute(
            "select rolname from pg_catalog.pg_roles where rolname = any(%s) and pg_catalog.pg_has_role(oid, 'USAGE')",
            (list(ROLES),),
        ).fetchall()
        if rows:
            connection.execute(
                sql.SQL("drop owned by {}").format(sql.SQL(", ").join(sql.Identifier(name) for (name,) in rows))
            )


def _drop_roles(connection: Connection) -> str | None:
    # All or none: another database's installation may hold on to some of them only.
    names = sql.SQL(", ").join(map(sql.Identifier, ROLES))
    try:
        retrying(lambda: connection.execute(sql.SQL("drop role if exists {}").format(names)))
    except psycopg.errors.DependentObjectsStillExist:
        return "another database of this cluster uses them"
    except psycopg.errors.InsufficientPrivilege as error:
        return error.diag.message_primary or "permission denied"
    return None
