"""Read what is installed in a database, and compare it with this package."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import psycopg

from pgbraid._version import __version__
from pgbraid.errors import PermissionDeniedError
from pgbraid.install.compatibility import NO_TENANT, before_release, differing_parts
from pgbraid.install.resources import resources

Connection = psycopg.Connection[Any]

FUNCTION = re.compile(r"^create or replace function (braid(?:_calls|_store)?\.\w+).*?\nas \$\$(.*?)\$\$;$", re.M | re.S)
INSTALLATION = "braid_store.installation"
PARTS = "braid_store.parts"
PART_HASHES = f"(select jsonb_object_agg(p.name, p.content_hash) from {PARTS} p)"
# Logins without a right on the table use this function.
READ_INSTALLATION = "braid_calls.read_installation()"


@dataclass(frozen=True)
class Installation:
    """Hold an installation's record. `part_hashes` has the content hash of the core and of each installed part,
    `migrations` the hash of each applied migration. `placeholders` maps placeholders in sql/ to values.
    `extension_hashes` has hashes of the bodies that the installation wrote."""

    version: str
    part_hashes: Mapping[str, str]
    migrations: Mapping[str, str]
    placeholders: Mapping[str, str]
    extension_hashes: Mapping[str, str]

    @property
    def pending_migrations(self) -> tuple[str, ...]:
        """Return the migrations of installed parts that the database lacks."""
        known = resources().migrations_of(self.part_hashes)
        return tuple(file.stem for file in known if file.stem not in self.migrations)

    @property
    def unknown_migrations(self) -> tuple[str, ...]:
        """Return the applied migrations that this package lacks, though it brings the part: the database is newer."""
        unknown = self.migrations.keys() - resources().migration_hashes.keys()
        return tuple(sorted(name for name in unknown if name.partition(".")[0] not in self.own_parts))

    @property
    def changed_migrations(self) -> tuple[str, ...]:
        """Return the migrations that were changed after they had been applied."""
        package = resources().migration_hashes
        return tuple(name for name, applied in self.migrations.items() if name in package and package[name] != applied)

    @property
    def parts(self) -> tuple[str, ...]:
        """Return the installed parts, without the core."""
        known = [name for name in resources().parts if name in self.part_hashes]
        return (*known[1:], *self.own_parts)

    @property
    def absent_parts(self) -> tuple[str, ...]:
        """Return the parts of this package that the database lacks."""
        return tuple(name for name in resources().parts if name not in self.part_hashes)

    @property
    def own_parts(self) -> tuple[str, ...]:
        """Return the installed parts that this package does not bring."""
        return tuple(name for name in self.part_hashes if name not in resources().parts)

    @property
    def differing_parts(self) -> tuple[str, ...]:
        """Return the installed parts, or the core, with other files in this package."""
        return tuple(differing_parts(self.part_hashes))

    @property
    def is_this_package(self) -> bool:
        """Return whether version, functions and migrations equal this package's."""
        return self.version == __version__ and not self.differing_parts


def read_installation(connection: Connection) -> Installation | None:
    """Return the installation in the connection's database, None without one. Changes nothing.

    Raise `PermissionDeniedError` for a login that may not use pgbraid at all, and `VersionMismatchError` for an
    installation from before the first release.
    """
    if not exists(connection, INSTALLATION):
        return None
    source = INSTALLATION if allowed(connection, INSTALLATION, "SELECT") else READ_INSTALLATION
    if source == READ_INSTALLATION and not _may_call(connection, source):
        raise PermissionDeniedError(
            f"the login {connection.info.user} may not use pgbraid",
            hint=f"have an administrator run: grant braid_reader to {connection.info.user}",
        )
    # The table has no hashes of parts; braid_store.parts does.
    hashes = PART_HASHES if source == INSTALLATION else "i.part_hashes"
    query = f"select i.version, {hashes}, i.migrations, i.placeholders, i.extension_hashes from {source} i"
    try:
        row = connection.execute(query.encode()).fetchone()
    except (psycopg.errors.UndefinedColumn, psycopg.errors.UndefinedTable) as error:
        raise before_release() from error
    if row is None:
        is_bound = source != INSTALLATION or connection.execute(
            f"select pg_catalog.row_security_active('{INSTALLATION}')"
        ).fetchone() == (True,)
        if is_bound:
            raise PermissionDeniedError(
                f"the login {connection.info.user} is a member of no tenant of this database",
                hint=NO_TENANT,
            )
        return None
    return Installation(*row)


def installed_parts(connection: Connection) -> tuple[str, ...]:
    """Return the core and the installed parts, in order of installation."""
    return tuple(name for (name,) in connection.execute(f"select p.name from {PARTS} p order by p.place".encode()))


def changed_functions(connection: Connection, installation: Installation) -> list[str]:
    """Return names of functions of the core and the installed parts that are missing in the catalog or have another
    body. The catalog is read, because the record of an installation holds only the functions that it should have."""
    rows = connection.execute(
        "select n.nspname || '.' || p.proname,"
        " pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(p.prosrc, 'UTF8')), 'hex')"
        " from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace"
        " where n.nspname in ('braid', 'braid_calls', 'braid_store')"
    )
    meant = {**_body_hashes(installation), **installation.extension_hashes}
    return sorted({name for name, _ in meant.items() - set(rows)})


def _body_hashes(installation: Installation) -> dict[str, str]:
    """Return the expected hash of each function's body, by name, for the core and installed parts."""
    found = {}
    for file in resources().repeatable:
        if file.owner not in installation.part_hashes:
            continue
        for name, body in FUNCTION.findall(file.text):
            for placeholder, value in installation.placeholders.items():
                body = body.replace(f"@{placeholder}@", value)
            found[name] = hashlib.sha256(body.encode()).hexdigest()
    return found


def exists(connection: Connection, relation: str) -> bool:
    # to_regclass would refuse a name in a schema that the role may not use.
    schema, name = relation.split(".")
    row = connection.execute(
        "select exists (select from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace"
        " where n.nspname = %s and c.relname = %s)",
        (schema, name),
    ).fetchone()
    return bool(row and row[0])


def allowed(connection: Connection, relation: str, privilege: str) -> bool:
    schema, name = relation.split(".")
    row = connection.execute(
        "select pg_catalog.has_schema_privilege(n.oid, 'USAGE') and pg_catalog.has_table_privilege(c.oid, %s)"
        " from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace"
        " where n.nspname = %s and c.relname = %s",
        (privilege, schema, name),
    ).fetchone()
    return bool(row and row[0])


def _may_call(connection: Connection, function: str) -> bool:
    schema, name = function.removesuffix("()").split(".")
    row = connection.execute(
        "select pg_catalog.has_schema_privilege(n.oid, 'USAGE') and pg_catalog.has_function_privilege(p.oid, 'EXECUTE')"
        " from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace"
        " where n.nspname = %s and p.proname = %s",
        (schema, name),
    ).fetchone()
    return bool(row and row[0])
