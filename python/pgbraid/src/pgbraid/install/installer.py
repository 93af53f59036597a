"""Bring a database to this package's version."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import psycopg

from pgbraid._version import __version__
from pgbraid.errors import InstallationError, InvalidArgumentError, VersionMismatchError, from_psycopg
from pgbraid.install.choice import Choice, choose
from pgbraid.install.clusters import cluster_of
from pgbraid.install.frozen import check_frozen
from pgbraid.install.headers import manifests
from pgbraid.install.protocol import part
from pgbraid.install.resources import Resources, resources
from pgbraid.install.roles import DatabaseRoles, database_roles
from pgbraid.install.session import RETRIED, Notify, in_transaction, installer_session, lock_installation
from pgbraid.install.state import (
    INSTALLATION,
    Connection,
    allowed,
    changed_functions,
    exists,
    installed_parts,
    read_installation,
)
from pgbraid.install.vector import find

# Roles of the whole cluster, shared by all its databases.
SHARED_ROLES = ("braid_reader", "braid_writer")
DEFAULT = "default"


@dataclass(frozen=True)
class InstallReport:
    """Report an installation. `previous_version` is None for a new database. `parts` has the core and the parts that
    the database has now, and `added_parts` the parts that were added to an existing installation."""

    version: str
    previous_version: str | None
    vector_version: str
    vector_schema: str
    vector_created: bool
    parts: tuple[str, ...]
    added_parts: tuple[str, ...]
    migrations: tuple[str, ...]
    functions_applied: bool
    tenant_created: bool
    member_added: bool
    collection_created: bool

    @property
    def changed(self) -> bool:
        return bool(
            self.version != self.previous_version
            or self.vector_created
            or self.migrations
            or self.functions_applied
            or self.tenant_created
            or self.member_added
            or self.collection_created
        )


def install(
    dsn: str,
    *,
    only: Sequence[str] = (),
    with_parts: Sequence[str | os.PathLike[str]] = (),
    without: Sequence[str] = (),
    repair: bool = False,
    notify: Notify = lambda _: None,
) -> InstallReport:
    """Install or upgrade pgbraid in the database of `dsn` (any form that libpq takes), in one transaction.

    A new database gets the core and all stable parts; an existing installation keeps its parts. `with_parts` adds
    parts, with all that they need; a path, such as ./NAME, is the folder of a part of your own. `without` leaves parts
    out of a new database. `only` lists the parts exactly: `only=("core",)` is the core alone. Raise
    `InvalidArgumentError` for an impossible choice.

    `repair` applies `sql/` even if its content is unchanged. `notify` receives one line per step once all are done, and
    one per wait. The login becomes a member of the tenant `default`. Raise `InstallationError`, and
    `VersionMismatchError` if the database has a newer pgbraid, or migrations that have changed since.
    """
    check_frozen()
    choice = choose(only, with_parts, without)
    _check_headers(choice)
    with installer_session(dsn) as connection:
        report = in_transaction(connection, lambda: _install(connection, choice, repair, notify), notify)
        for line in [
            *_lines(report, choice.found, connection.info.user),
            *(_limits(connection) if report.changed else []),
        ]:
            notify(line)
    return report


def _install(connection: Connection, choice: Choice, repair: bool, notify: Notify) -> InstallReport:
    lock_installation(connection, notify)
    found = choice.found
    roles = database_roles(connection)
    before = find(connection)
    migrations: tuple[str, ...] = ()
    is_right = not repair and is_current(connection, roles, choice)
    if not is_right:
        run_part(connection, "begin.sql", found.parts, found)
        previous = read_installation(connection)
        parts = choice.parts(previous.part_hashes if previous else None)
        applied = previous.migrations if previous else {}
        migrations = tuple(file.stem for file in found.migrations_of(parts) if file.stem not in applied)
        cluster = cluster_of(connection)
        if cluster is not None:
            cluster.refuse_copy(connection)
        if cluster is not None and (added := {*parts} - {*(previous.part_hashes if previous else ())}):
            raise InstallationError(
                f"parts cannot be added on a cluster yet: {', '.join(sorted(added))}",
                hint="gather the tenants (pgbraid distribute --gather), add the parts, and distribute the tenants"
                " again; nothing has been changed",
            )
        if cluster is not None and migrations:
            raise InstallationError(
                f"this version changes tables ({', '.join(migrations)}), which is not supported on a cluster yet",
                hint="gather the tenants with the version that is installed (pgbraid distribute --gather), upgrade, and"
                " distribute them again; nothing has been changed",
            )
        run_part(connection, "migrate.sql", parts, found)
        run_part(connection, "finish.sql", parts, found)
        if cluster is not None:
            cluster.apply_form(connection)
    else:
        previous = read_installation(connection)
        parts = installed_parts(connection)
    absent = _absent_defaults(connection)
    if any(absent):
        run_part(connection, "defaults.sql", parts, found)
    vector = find(connection)
    assert vector is not None
    tenant, member, collection = absent
    return InstallReport(
        version=__version__,
        previous_version=previous.version if previous else None,
        vector_version=vector.version,
        vector_schema=vector.schema,
        vector_created=before is None,
        parts=parts,
        added_parts=tuple(name for name in parts if previous and name not in previous.part_hashes),
        migrations=migrations,
        functions_applied=not is_right,
        tenant_created=tenant,
        member_added=member,
        collection_created=collection,
    )


def _check_headers(choice: Choice) -> None:
    """Raise `InvalidArgumentError` for a function of the user's own part with an unknown word in its header."""
    if choice.found.own:
        try:
            manifests(choice.found)
        except ValueError as error:
            raise InvalidArgumentError(
                str(error), hint="docs/internals/contributing.md has the lines of a function"
            ) from error


def run_part(
    connection: Connection, name: str, parts: Collection[str], found: Resources | None = None, **values: str
) -> None:
    """Run one step of an installation of the core and these parts, from the package or `found`. `values` fill further
    placeholders in double braces."""
    try:
        text = part(name, found or resources(), parts, **values)
        connection.execute(f"do $braid_part$\n{text}\n$braid_part$".encode())
    except psycopg.Error as error:
        if error.sqlstate in RETRIED:
            raise
        known = from_psycopg(error)
        # In begin.sql, 55000 means that versions do not match.
        is_mismatch = name == "begin.sql" and error.sqlstate == "55000"
        kind = VersionMismatchError if is_mismatch else InstallationError
        raise kind(known.message, hint=known.hint, sqlstate=error.sqlstate) from error


def is_current(connection: Connection, roles: DatabaseRoles, choice: Choice) -> bool:
    """Return whether there is nothing to upgrade, add or repair."""
    vector = find(connection)
    # A login without this right goes on to begin.sql, which takes the installation over or says who may.
    if vector is None or not exists(connection, INSTALLATION) or not allowed(connection, INSTALLATION, "UPDATE"):
        return False
    found = read_installation(connection)
    schema = '"' + vector.schema.replace('"', '""') + '"'
    wanted = {"owner": roles.owner, "definer": roles.definer, "vector": schema}
    if found is None or not found.is_this_package or found.placeholders != wanted or found.pending_migrations:
        return False
    if changed_functions(connection, found) or not found.part_hashes.keys() >= {*choice.parts(found.part_hashes)}:
        return False
    if any(found.part_hashes[name] != choice.found.part_hashes[name] for name in choice.found.own):
        return False
    needed = [roles.owner, roles.definer, *SHARED_ROLES]
    row = connection.execute(
        # A dump carries no roles, and a restore by a login that is no superuser gives that login our functions.
        "select (select count(*) from pg_catalog.pg_roles where rolname = any(%s)) = %s"
        " and not exists (select from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace"
        "   where n.nspname in ('braid', 'braid_calls', 'braid_store')"
        "   and pg_catalog.pg_get_userbyid(p.proowner) <> all (%s))",
        (needed, len(needed), [roles.owner, roles.definer]),
    ).fetchone()
    return bool(row and row[0])


def _absent_defaults(connection: Connection) -> tuple[bool, bool, bool]:
    """Return whether the tenant, the login's membership, and the collection are missing."""
    row = connection.execute(
        "select not exists (select from braid_store.tenants where key = %(name)s),"
        " not exists (select from braid_store.tenants t join braid_store.tenant_members m on m.tenant_id = t.id"
        "   where t.key = %(name)s and m.member = session_user),"
        " not exists (select from braid_store.collections where name = %(name)s)",
        {"name": DEFAULT},
    ).fetchone()
    assert row is not None
    return row[0], row[1], row[2]


def _limits(connection: Connection) -> list[str]:
    """Return what the login cannot do: grant the cluster's roles that another login created."""
    (roles,) = connection.execute(
        "select array_agg(quote_ident(r.rolname) order by r.rolname) from pg_catalog.pg_roles r"
        " where r.rolname = any(%s) and not pg_catalog.pg_has_role(r.oid, 'MEMBER WITH ADMIN OPTION')",
        (list(SHARED_ROLES),),
    ).fetchone() or (None,)
    if not roles:
        return []
    named = ", ".join(roles)
    user = connection.info.user
    return [f'{user} cannot grant {named}: have their creator run: grant {named} to "{user}" with admin option']


def _lines(report: InstallReport, found: Resources, user: str) -> list[str]:
    """Return lines that tell what was done."""
    lines = []
    if report.vector_created:
        lines.append(f"extension pgvector {report.vector_version} created in schema {report.vector_schema}")
    lines += [f"part {name} added" for name in report.added_parts]
    lines += [f"migration {name} applied" for name in report.migrations]
    count = sum(file.owner in report.parts for file in found.repeatable)
    lines.append(f"functions applied ({count} files)" if report.functions_applied else "functions unchanged")
    if report.tenant_created:
        lines.append(f"tenant {DEFAULT} created")
    if report.member_added:
        lines.append(f"login {user} is a member of tenant {DEFAULT}")
    if report.collection_created:
        lines.append(f"collection {DEFAULT} created")
    return lines
