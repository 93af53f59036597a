"""Removing pgbraid from a database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import psycopg
from psycopg import sql

from pgbraid.errors import InstallationError
from pgbraid.install.installer import SHARED_ROLES
from pgbraid.install.roles import database_roles
from pgbraid.install.session import Notify, in_transaction, installer_session, lock_installation
from pgbraid.install.state import Connection, exists


@dataclass(frozen=True)
class UninstallReport:
    """What was removed. `roles_kept` says why roles stayed, None if they are gone."""

    schemas: tuple[str, ...]
    roles_kept: str | None


def uninstall(dsn: str, *, notify: Notify = lambda _: None) -> UninstallReport:
    """Drop pgbraid's schemas with all documents in them and everything that depends on them, the
    two roles of this database, and the roles of the cluster unless another database uses them. pgvector stays."""
    with installer_session(dsn) as connection:
        schemas = tuple(
            name
            for (name,) in connection.execute(
                "select nspname from pg_catalog.pg_namespace"
                " where nspname in ('braid', 'braid_calls', 'braid_store', 'braid_locks') order by 1"
            )
        )
        own = _own_roles(connection)
        in_transaction(connection, lambda: _drop_schemas(connection, [*own, *SHARED_ROLES], notify), notify)
        # All or none: another database's installation may hold on to some of them only.
        kept = [_drop_roles(connection, roles, notify) for roles in (own, SHARED_ROLES)]
        return UninstallReport(schemas, kept[0] or kept[1])


def _own_roles(connection: Connection) -> list[str]:
    """The owner's and the definer's, also those of the name that the database had before."""
    roles = database_roles(connection)
    rows = connection.execute(
        "select r.rolname from pg_catalog.pg_roles r where r.rolname in (%s, %s)"
        " or r.rolname ~ '^braid_(owner|definer)_' and exists (select from pg_catalog.pg_proc p"
        "   where p.proowner = r.oid and p.pronamespace in"
        "     (select n.oid from pg_catalog.pg_namespace n where n.nspname in ('braid', 'braid_calls', 'braid_store')))"
        " order by 1",
        (roles.owner, roles.definer),
    ).fetchall()
    return [name for (name,) in rows]


def _drop_schemas(connection: Connection, roles: list[str], notify: Notify) -> None:
    lock_installation(connection, notify)
    if exists(connection, "braid_shards.node_shards"):
        raise InstallationError(
            "tenants are distributed over the nodes of a cluster",
            hint="gather them first, at the coordinator: pgbraid distribute --gather; nothing has been removed",
        )
    connection.execute("drop schema if exists braid, braid_calls, braid_store, braid_locks cascade")
    # What they were granted elsewhere in this database, such as the schema of pgvector.
    rows = connection.execute(
        "select rolname from pg_catalog.pg_roles where rolname = any(%s) and pg_catalog.pg_has_role(oid, 'USAGE')",
        (roles,),
    ).fetchall()
    if rows:
        connection.execute(
            sql.SQL("drop owned by {}").format(sql.SQL(", ").join(sql.Identifier(name) for (name,) in rows))
        )


def _drop_roles(connection: Connection, roles: Sequence[str], notify: Notify) -> str | None:
    if not roles:
        return None
    names = sql.SQL(", ").join(map(sql.Identifier, roles))
    try:
        in_transaction(connection, lambda: connection.execute(sql.SQL("drop role if exists {}").format(names)), notify)
    except psycopg.errors.DependentObjectsStillExist:
        return "another database of this cluster uses them"
    except psycopg.errors.InsufficientPrivilege as error:
        return error.diag.message_primary or "permission denied"
    return None
