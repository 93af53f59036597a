"""Finding, or creating, the extension pgvector, whatever schema it lives in."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import psycopg
from psycopg import sql

from pgbraid.errors import InstallationError
from pgbraid.install.roles import DatabaseRoles
from pgbraid.install.state import Connection

MINIMUM = (0, 8)


@dataclass(frozen=True)
class VectorExtension:
    version: str
    schema: str
    created: bool

    @property
    def quoted_schema(self) -> str:
        return '"' + self.schema.replace('"', '""') + '"'


def find_or_create(connection: Connection) -> VectorExtension:
    """pgvector 0.8 or newer. Raises `InstallationError` if it is not there and cannot be created."""
    found = find(connection)
    if found is None:
        _create(connection)
        found = find(connection)
        assert found is not None
        found = VectorExtension(found.version, found.schema, created=True)
    if _parse(found.version) < MINIMUM:
        raise InstallationError(
            f"the database has pgvector {found.version}; pgbraid needs 0.8 or newer",
            hint="install a newer pgvector on the server, then run: alter extension vector update",
        )
    return found


def find(connection: Connection) -> VectorExtension | None:
    row = connection.execute(
        "select e.extversion, n.nspname from pg_catalog.pg_extension e"
        " join pg_catalog.pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector'"
    ).fetchone()
    return VectorExtension(row[0], row[1], created=False) if row else None


def _create(connection: Connection) -> None:
    row = connection.execute(
        "select default_version from pg_catalog.pg_available_extensions where name = 'vector'"
    ).fetchone()
    if row is None:
        raise InstallationError(
            "the server has no pgvector",
            hint="install it on the server (package postgresql-NN-pgvector; managed services have it built in)",
        )
    if _parse(row[0]) < MINIMUM:
        raise InstallationError(
            f"the server has pgvector {row[0]}; pgbraid needs 0.8 or newer", hint="install a newer one on the server"
        )
    names = {
        name
        for (name,) in connection.execute(
            "select nspname from pg_catalog.pg_namespace where nspname in ('extensions', 'public')"
        )
    }
    schema = "extensions" if "extensions" in names or not names else "public"
    try:
        with connection.transaction():
            if schema not in names:
                connection.execute(sql.SQL("create schema {}").format(sql.Identifier(schema)))
            connection.execute(sql.SQL("create extension vector schema {}").format(sql.Identifier(schema)))
    except psycopg.errors.InsufficientPrivilege as error:
        raise InstallationError(
            f"the extension pgvector is not in this database, and {connection.info.user} may not create it",
            hint="have a superuser run in this database: create extension vector",
            sqlstate=error.sqlstate,
        ) from error


def grant_schema(connection: Connection, vector: VectorExtension, roles: DatabaseRoles) -> None:
    """See that pgbraid's roles may use the schema of pgvector."""
    # Those that own or run functions; the other braid_* roles are members of braid_reader.
    wanted = [roles.owner, roles.definer, "braid_reader"]
    missing = _without_usage(connection, vector.schema, wanted)
    if not missing:
        return
    grant = sql.SQL("grant usage on schema {} to {}").format(
        sql.Identifier(vector.schema), sql.SQL(", ").join(map(sql.Identifier, missing))
    )
    # Without grant options PostgreSQL refuses, or only warns; what counts is looked at below.
    with suppress(psycopg.errors.InsufficientPrivilege), connection.transaction():
        connection.execute(grant)
    if _without_usage(connection, vector.schema, wanted):
        raise InstallationError(
            f"pgbraid's roles may not use the schema {vector.schema}, where pgvector is",
            hint=f"have its owner run: {grant.as_string(connection)}",
            sqlstate="42501",
        )


def _without_usage(connection: Connection, schema: str, roles: list[str]) -> list[str]:
    rows = connection.execute(
        "select role from unnest(%s::text[]) role where not pg_catalog.has_schema_privilege(role, %s, 'USAGE')",
        (roles, schema),
    )
    return [role for (role,) in rows]


def _parse(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())
