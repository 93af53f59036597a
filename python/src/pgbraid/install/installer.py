"""Bringing a database to this package's version."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from pgbraid._version import __version__
from pgbraid.errors import InstallationError, VersionMismatchError
from pgbraid.install.replacement import SHAPE_CHANGED, drop_all, drop_stale, objects
from pgbraid.install.resources import (
    check_frozen,
    content_hash,
    foundation_files,
    migration_ids,
    repeatable_files,
)
from pgbraid.install.roles import DatabaseRoles, database_roles
from pgbraid.install.session import Notify, installer_session, naming, retrying
from pgbraid.install.state import INSTALLATION, MIGRATIONS, Connection, applied_migrations, exists, readable
from pgbraid.install.vector import VectorExtension, find_or_create, grant_schema

# Those of the cluster, which the databases share.
SHARED_ROLES = (
    "braid_reader",
    "braid_writer",
    "braid_admin",
    "braid_gateway",
    "braid_service",
)
DEFAULT = "default"
# The last layer writes to every object, so what has not been replaced must be found before it.
PRIVILEGES = "90_privileges"


@dataclass(frozen=True)
class InstallReport:
    """What an install did. `previous_version` is None on a fresh database."""

    version: str
    previous_version: str | None
    vector_version: str
    vector_schema: str
    vector_created: bool
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


def install(dsn: str, *, repair: bool = False, notify: Notify = lambda _: None) -> InstallReport:
    """Install or upgrade pgbraid in the database of `dsn` (any form that libpq takes).

    `repair` applies `sql/` even if its content is unchanged. `notify` receives a line for each step done. The login
    becomes a member of the tenant `default`. Raises `InstallationError`, and `VersionMismatchError` if the database
    was installed by a newer pgbraid.
    """
    check_frozen()
    with installer_session(dsn, notify) as connection:
        return _install(connection, repair, notify)


def _install(connection: Connection, repair: bool, notify: Notify) -> InstallReport:
    vector = find_or_create(connection)
    if vector.created:
        notify(f"extension pgvector {vector.version} created in schema {vector.schema}")
    roles = database_roles(connection)
    wanted = content_hash(vector.quoted_schema, roles)
    previous, found = _installed(connection, roles)
    _check_not_newer(connection, previous)
    stale = (
        repair
        or found != wanted
        or bool(set(migration_ids()) - applied_migrations(connection))
        or _owned_by_others(connection, roles)
    )
    migrations: tuple[str, ...] = ()
    if stale:
        # yoyo takes a tenth of a second to import, and most runs find nothing to do.
        from pgbraid.install.migrations import apply_pending

        _check_not_newer(connection, previous)
        retrying(lambda: _apply_foundation(connection, vector, roles))
        migrations = apply_pending(connection, roles, notify)
        retrying(lambda: _apply_repeatable(connection, vector, roles, wanted))
        notify(f"functions applied ({len(repeatable_files())} files)")
    elif previous != __version__:
        connection.execute("update braid_store.installation set version = %s where only_row", (__version__,))
    if not stale:
        notify("functions unchanged")
    tenant, member, collection = _create_defaults(connection, notify)
    return InstallReport(
        version=__version__,
        previous_version=previous,
        vector_version=vector.version,
        vector_schema=vector.schema,
        vector_created=vector.created,
        migrations=migrations,
        functions_applied=stale,
        tenant_created=tenant,
        member_added=member,
        collection_created=collection,
    )


def _installed(connection: Connection, roles: DatabaseRoles) -> tuple[str | None, str | None]:
    """Version and hash, both None where nothing is installed; no hash where a role is missing."""
    for table in (INSTALLATION, MIGRATIONS):
        if exists(connection, table) and not readable(connection, table):
            # Another login has installed here. This gives access, or explains who can.
            retrying(lambda: _run_foundation(connection, roles))
    wanted = [roles.owner, roles.definer, *SHARED_ROLES]
    there = connection.execute(
        "select count(*) from pg_catalog.pg_roles where rolname = any(%s)", (wanted,)
    ).fetchone()
    if not exists(connection, INSTALLATION):
        return None, None
    found = connection.execute("select version, sql_hash from braid_store.installation").fetchone()
    if found is None:
        return None, None
    return found[0], found[1] if there is not None and there[0] == len(wanted) else None


def _owned_by_others(connection: Connection, roles: DatabaseRoles) -> bool:
    """Whether a restore by a login that is no superuser gave that login our functions."""
    row = connection.execute(
        "select exists (select from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace"
        " where n.nspname in ('braid', 'braid_store')"
        " and pg_catalog.pg_get_userbyid(p.proowner) <> all (%s))",
        ([roles.owner, roles.definer],),
    ).fetchone()
    return bool(row and row[0])


def _check_not_newer(connection: Connection, installed: str | None) -> None:
    unknown = sorted(applied_migrations(connection) - set(migration_ids()))
    if unknown or (installed is not None and _numbers(installed) > _numbers(__version__)):
        what = f"has the migration {unknown[-1]}, which" if unknown else f"is at version {installed};"
        raise VersionMismatchError(
            f"the database {what} this package, pgbraid {__version__}, does not know",
            hint="upgrade the package: pip install --upgrade pgbraid",
        )


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def _run_foundation(connection: Connection, roles: DatabaseRoles) -> None:
    with connection.transaction():
        for file in foundation_files():
            with naming(f"sql/{file.name}"):
                connection.execute(roles.fill(file.text))


def _apply_foundation(connection: Connection, vector: VectorExtension, roles: DatabaseRoles) -> None:
    with connection.transaction():
        _run_foundation(connection, roles)
        grant_schema(connection, vector, roles)


def _apply_repeatable(
    connection: Connection, vector: VectorExtension, roles: DatabaseRoles, content: str
) -> None:
    try:
        _replace(connection, vector, roles, content, afresh=False)
    except InstallationError as error:
        if error.sqlstate not in SHAPE_CHANGED:
            raise
        _replace(connection, vector, roles, content, afresh=True)


def _replace(
    connection: Connection, vector: VectorExtension, roles: DatabaseRoles, content: str, *, afresh: bool
) -> None:
    with connection.transaction():
        if afresh:
            drop_all(connection)
        before = objects(connection)
        # Files are applied in order of layers, yet a body may call what a later file creates.
        connection.execute("set local check_function_bodies = off")
        for layer, files in groupby(repeatable_files(), key=lambda file: file.name.split("/")[0]):
            if layer == PRIVILEGES:
                drop_stale(connection, before)
            for file in files:
                with naming(f"sql/{file.name}"):
                    connection.execute(roles.fill(file.text, vector.quoted_schema))
        connection.execute(
            "insert into braid_store.installation (version, sql_hash) values (%s, %s) on conflict (only_row)"
            " do update set version = excluded.version, sql_hash = excluded.sql_hash, installed_at = now()",
            (__version__, content),
        )
        connection.execute("notify pgrst, 'reload schema'")


def _create_defaults(connection: Connection, notify: Notify) -> tuple[bool, bool, bool]:
    """Tenant, membership of this login, and collection, each unless it is there. Returns which were created."""
    with connection.transaction():
        row = connection.execute(
            "select exists (select from braid_store.tenants where key = %(name)s),"
            " exists (select from braid_store.tenants t join braid_store.tenant_members m on m.tenant_id = t.id"
            "   where t.key = %(name)s and m.member = session_user),"
            " exists (select from braid_store.collections where name = %(name)s)",
            {"name": DEFAULT},
        ).fetchone()
        assert row is not None
        tenant, member, collection = (not found for found in row)
        if tenant:
            connection.execute("select braid.create_tenant(%s)", (DEFAULT,))
        elif member:
            connection.execute("select braid.add_tenant_member(%s, session_user::text)", (DEFAULT,))
        if collection:
            connection.execute("select braid.create_collection(%s)", (DEFAULT,))
    if tenant:
        notify(f"tenant {DEFAULT} created")
    if member:
        notify(f"login {connection.info.user} is a member of tenant {DEFAULT}")
    if collection:
        notify(f"collection {DEFAULT} created")
    return tenant, member, collection
