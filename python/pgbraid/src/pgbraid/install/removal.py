"""Remove pgbraid from a database."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

import psycopg
from psycopg import sql

from pgbraid.errors import InstallationError, InvalidArgumentError, NotInstalledError
from pgbraid.install.choice import Choice, choose
from pgbraid.install.installer import SHARED_ROLES, is_current, run_part
from pgbraid.install.protocol import literals
from pgbraid.install.roles import database_roles
from pgbraid.install.session import Notify, in_transaction, installer_session, lock_installation, set_timeout
from pgbraid.install.state import Connection, exists, installed_parts, read_installation

# Tables of the parts, with inheriting tables; a table that another part or the core has as well stays.
TABLES = """
with recursive tables (id, place) as (
  select c.oid, p.place
  from braid_store.parts p
  cross join pg_catalog.jsonb_object_keys(p.manifest -> 'tables') t (key)
  join pg_catalog.pg_class c on c.relname = t.key and c.relnamespace = 'braid_store'::regnamespace
  where p.name = any(%(names)s)
    and not exists (select from braid_store.parts o where o.name <> all(%(names)s) and o.manifest -> 'tables' ? t.key)
  union
  select i.inhrelid, t.place from tables t join pg_catalog.pg_inherits i on i.inhparent = t.id
)
select c.relname from tables t join pg_catalog.pg_class c on c.oid = t.id
where c.relnamespace = 'braid_store'::regnamespace
order by t.place, c.relname
"""
# finish.sql's message that lists objects which depend on functions and views.
DEPEND = "objects outside of pgbraid depend on functions or views that change or go: "


@dataclass(frozen=True)
class UninstallReport:
    """Report a removal. `roles_kept` says why roles were kept, None if they are gone."""

    schemas: tuple[str, ...]
    roles_kept: str | None


def uninstall(dsn: str, *, notify: Notify = lambda _: None) -> UninstallReport:
    """Drop pgbraid's schemas, with all documents and all dependent objects, and the two roles of this database. Drop
    the cluster's roles as well unless another database uses them. pgvector stays."""
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
        # Each pair goes as a whole or stays, as another database's installation may use only one role of it.
        kept = [_drop_roles(connection, roles, notify) for roles in (own, SHARED_ROLES)]
        return UninstallReport(schemas, kept[0] or kept[1])


@dataclass(frozen=True)
class RemovalReport:
    """Report the removed parts and their tables."""

    parts: tuple[str, ...]
    tables: tuple[str, ...]


def uninstall_parts(
    dsn: str,
    parts: Sequence[str],
    *,
    drop_data: bool = False,
    with_parts: Sequence[str | os.PathLike[str]] = (),
    notify: Notify = lambda _: None,
) -> RemovalReport:
    """Remove parts from the installation of `dsn`, in one transaction: their functions, views and tables. The core and
    the other parts stay.

    Raise `InstallationError`, without a change, if another part or another object of the database depends on a removed
    part. Raise it as well for stored rows or settings of collections, unless `drop_data`. `with_parts` has the folders
    of parts of your own that stay; a removed part needs none.
    """
    if isinstance(parts, str):
        raise InvalidArgumentError(f"parts is the text {parts!r}", hint=f"give a list: [{parts!r}]")
    if not parts:
        raise InvalidArgumentError("parts is empty", hint="name the parts to remove")
    names = tuple(dict.fromkeys(parts))
    choice = choose((), with_parts, ())
    with installer_session(dsn) as connection:
        return in_transaction(connection, lambda: _remove(connection, names, choice, drop_data, notify), notify)


def _remove(
    connection: Connection, names: tuple[str, ...], choice: Choice, drop_data: bool, notify: Notify
) -> RemovalReport:
    lock_installation(connection, notify)
    found = read_installation(connection)
    if found is None:
        raise NotInstalledError("this database has no pgbraid", hint="run: pgbraid init")
    _refuse_distributed(connection)
    if not is_current(connection, database_roles(connection), choice):
        raise InstallationError(
            "the installation differs from what this package installs",
            hint="run: pgbraid upgrade, then this command again",
        )
    installed = installed_parts(connection)
    for name in {*names} & {*installed} - choice.found.parts.keys():
        # The package does not know the migrations of the user's own part.
        connection.execute(
            "delete from braid_store._yoyo_migration where split_part(migration_id, '.', 1) = %s", (name,)
        )
        connection.execute(
            "update braid_store.installation i set migrations = i.migrations - array("
            " select k from jsonb_object_keys(i.migrations) k where split_part(k, '.', 1) = %s)",
            (name,),
        )
    run_part(connection, "begin.sql", [*choice.found.parts, *names], choice.found)
    # Takes migrations' lock, as calls read the tenants first.
    set_timeout(connection)
    connection.execute("lock table braid_store.tenants in access exclusive mode")
    tables = [table for (table,) in connection.execute(TABLES, {"names": list(names)})]
    run_part(
        connection,
        "remove.sql",
        installed,
        choice.found,
        names=literals(names),
        tables=literals(tables),
        drops_data=str(drop_data).lower(),
    )
    try:
        left = [name for name in installed if name not in names]
        run_part(connection, "finish.sql", left, choice.found, tries="1")
        if tables:
            dropped = sql.SQL(", ").join(sql.Identifier("braid_store", table) for table in tables)
            connection.execute(sql.SQL("drop table {}").format(dropped))
    except (InstallationError, psycopg.errors.DependentObjectsStillExist) as error:
        if error.sqlstate != "2BP01":
            raise
        detail = error.message if isinstance(error, InstallationError) else error.diag.message_detail
        raise InstallationError(
            f"objects outside of pgbraid depend on what is to be removed: {(detail or '').removeprefix(DEPEND)}",
            hint="drop them, and run this again; nothing has been changed",
            sqlstate=error.sqlstate,
        ) from error
    for name in names:
        notify(f"part {name} removed")
    return RemovalReport(names, tuple(tables))


def _own_roles(connection: Connection) -> list[str]:
    """Return the owner's and the definer's role, also under the database's former name."""
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
    _refuse_distributed(connection)
    connection.execute("drop extension if exists pgbraid cascade")
    connection.execute("drop schema if exists braid, braid_calls, braid_store, braid_locks cascade")
    # Revokes their grants elsewhere in this database, such as on pgvector's schema.
    rows = connection.execute(
        "select rolname from pg_catalog.pg_roles where rolname = any(%s) and pg_catalog.pg_has_role(oid, 'USAGE')",
        (roles,),
    ).fetchall()
    if rows:
        connection.execute(
            sql.SQL("drop owned by {}").format(sql.SQL(", ").join(sql.Identifier(name) for (name,) in rows))
        )


def _refuse_distributed(connection: Connection) -> None:
    if exists(connection, "braid_shards.node_shards"):
        raise InstallationError(
            "tenants are distributed over the nodes of a cluster",
            hint="gather them first, at the coordinator: pgbraid distribute --gather; nothing has been removed",
        )


def _drop_roles(connection: Connection, roles: Sequence[str], notify: Notify) -> str | None:
    if not roles:
        return None
    names = sql.SQL(", ").join(map(sql.Identifier, roles))
    try:
        in_transaction(connection, lambda: connection.execute(sql.SQL("drop role if exists {}").format(names)), notify)
    except psycopg.errors.DependentObjectsStillExist:
        return "another database of this server uses these roles"
    except psycopg.errors.InsufficientPrivilege as error:
        return error.diag.message_primary or "permission denied"
    return None
