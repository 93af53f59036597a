"""Make temporary schemas and databases for measurements, and remove them at the end, also after Ctrl-C. The next run
removes leftovers of a killed run."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pgbraid.errors import PermissionDeniedError

if TYPE_CHECKING:
    from pgbraid.install.state import Connection

__all__ = ["scratch_database", "scratch_schema"]

PREFIX = "pgbraid_bench_"
# The session that made the schema or database holds this lock for its lifetime.
LOCK = "select pg_catalog.pg_try_advisory_lock(pg_catalog.hashtextextended(%s, 7046029254386353131))"
UNLOCK = "select pg_catalog.pg_advisory_unlock(pg_catalog.hashtextextended(%s, 7046029254386353131))"
DATABASES = """
select d.datname from pg_catalog.pg_database d
where d.datname like 'pgbraid\\_bench\\_%%'
  and pg_catalog.shobj_description(d.oid, 'pg_database') = 'Made by pgbraid bench in ' || current_database()
"""
SCHEMAS = """
select n.nspname from pg_catalog.pg_namespace n
where n.nspname like 'pgbraid\\_bench\\_%%'
  and pg_catalog.obj_description(n.oid, 'pg_namespace') = 'Made by pgbraid bench'
"""
# A single statement ensures that no schema is left without the comment.
CREATE_SCHEMA = "create schema {0}; comment on schema {0} is 'Made by pgbraid bench'"
BACKEND = """
select s.pid, s.backend_start from pg_catalog.pg_stat_activity s where s.pid = pg_catalog.pg_backend_pid()
"""
TERMINATE = """
select pg_catalog.pg_terminate_backend(s.pid, 10000) from pg_catalog.pg_stat_activity s
where s.pid = %s and s.backend_start = %s
"""
ROLES = "select r.rolname from pg_catalog.pg_roles r where r.rolname in ('braid_reader', 'braid_writer')"


def _new_name(connection: Connection) -> str:
    name = PREFIX + uuid.uuid4().hex[:8]
    connection.execute(LOCK, (name,))
    return name


@contextmanager
def scratch_schema(connection: Connection) -> Iterator[str]:
    """Yield the name of a new schema."""
    import psycopg
    from psycopg import sql

    drop = sql.SQL("drop schema if exists {} cascade")
    for (left,) in connection.execute(SCHEMAS, ()).fetchall():
        if _is_left(connection, left):
            connection.execute(drop.format(sql.Identifier(left)))
    place = _Remover(connection)
    name = _new_name(connection)
    try:
        try:
            connection.execute(sql.SQL(CREATE_SCHEMA).format(sql.Identifier(name)))
        except psycopg.errors.InsufficientPrivilege as error:
            raise PermissionDeniedError(
                "the login may not create a schema for the copy that is measured beside pgbraid",
                hint="use --no-baseline, or a login that may create schemas in this database",
            ) from error
        yield name
    finally:
        place.remove(drop.format(sql.Identifier(name)))


@contextmanager
def scratch_database(connection: Connection) -> Iterator[str]:
    """Yield the name of a new database on the same server."""
    import psycopg
    from psycopg import sql

    place = _Remover(connection)
    for (left,) in connection.execute(DATABASES, ()).fetchall():
        if _is_left(connection, left):
            _drop_database(place, left, [])
    name = _new_name(connection)
    before = {role for (role,) in connection.execute(ROLES)}
    is_refused = False
    try:
        try:
            connection.execute(
                sql.SQL("create database {} template template0 encoding 'UTF8'").format(sql.Identifier(name))
            )
        except psycopg.errors.InsufficientPrivilege as error:
            is_refused = True
            raise PermissionDeniedError(
                "the login may not create a database for the generated texts",
                hint="use a login with CREATEDB, or the embedded server: run pgbraid bench without --dsn and"
                " PGBRAID_DSN",
            ) from error
        connection.execute(
            sql.SQL("comment on database {} is {}").format(
                sql.Identifier(name), f"Made by pgbraid bench in {connection.info.dbname}"
            )
        )
        yield name
    finally:
        if not is_refused:
            new = [role for role in ("braid_writer", "braid_reader") if role not in before]
            _drop_database(place, name, new)


def _is_left(connection: Connection, name: str) -> bool:
    """Tell whether the run that made it is gone."""
    row = connection.execute(LOCK, (name,)).fetchone()
    if not row or not row[0]:
        return False
    connection.execute(UNLOCK, (name,))
    return True


def _drop_database(place: _Remover, name: str, roles: list[str]) -> None:
    from psycopg import sql

    place.remove(sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(name)))
    # An installation in the database has made these two roles.
    for role in (f"braid_owner_{name}", f"braid_definer_{name}", *roles):
        place.remove(sql.SQL("drop role if exists {}").format(sql.Identifier(role)))


class _Remover:
    """Remove what a run made, although Ctrl-C may come at any moment. Between sending a statement and waiting for it,
    Ctrl-C leaves a session busy for good. psycopg closes a session whose statement is not cancelled soon; then another
    session removes."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._dsn, self._password = connection.info.dsn, connection.info.password
        self._backend = connection.execute(BACKEND).fetchone()

    def remove(self, statement: Any) -> None:
        """Run a statement that removes something. Ctrl-C must leave nothing behind, so the statement is tried once
        more."""
        import psycopg

        try:
            self._execute(statement)
        except KeyboardInterrupt:
            self._execute(statement)
            raise
        except psycopg.errors.DependentObjectsStillExist:
            # Another database has begun to use the role meanwhile.
            pass

    def _execute(self, statement: Any) -> None:
        import psycopg

        if self._connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE:
            self._connection.execute(statement)
            return
        self._connection.close()
        with psycopg.connect(self._dsn, password=self._password, autocommit=True) as other:
            # Ending the session releases its locks.
            other.execute(TERMINATE, self._backend)
            other.execute(statement)
