"""Run many tests in one database, one after the other, each as a tenant of its own."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from types import TracebackType
from typing import Any

import psycopg
from psycopg import sql

Connection = psycopg.Connection[Any]
OtherSession = Callable[..., AbstractContextManager[Connection]]
MOST_CALLS = 10

# Besides rows, a test could leave changed functions, tables and their properties, planner statistics, and rights. A
# changed catalog row gets another xmin; page counts change in place.
CHANGED = ("proc", "class", "attribute", "constraint", "index", "trigger", "policy")
# Catalogs have statistics of their own, which autovacuum updates at any moment.
OF_USERS = "relnamespace not in ('pg_catalog'::regnamespace, 'pg_toast'::regnamespace)"
CATALOG = f"""
select {", ".join(f"(select (count(*), max(xmin::text::bigint)) from pg_{name})::text" for name in CHANGED)},
       (select (count(*), max(xmin::text::bigint)) from pg_namespace where nspname !~ '^pg_')::text,
       (select (sum(reltuples), sum(relpages), sum(relfilenode::bigint)) from pg_class where {OF_USERS})::text,
       (select count(*) from pg_statistic s join pg_class on pg_class.oid = s.starelid where {OF_USERS}),
       (select count(*) from pg_db_role_setting),
       (select count(*) from pg_auth_members)
"""
# Rows of these tables outlast tenants, or belong to the collection `default`, which is never dropped.
LASTING = ("synonyms", "indexed_attributes", "vector_spaces", "vector_settings", "daily_table_sizes")
RESTORE = """
insert into {0} overriding system value
select (given::{0}).* from unnest(%s::text[]) given where given not in (select t::text from {0} t)
"""
# The table records the machine's speed.
LEARNED = "upkeep_rates"
TABLES = """
select c.relname, exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id')
from pg_class c
where c.relnamespace = 'braid_store'::regnamespace and c.relkind = 'r' and c.relname <> %s
order by 1
"""


class Tenants:
    """Provide a tenant for each test, and a new database after a test that left anything behind."""

    def __init__(self, new_database: Callable[[], AbstractContextManager[str]]) -> None:
        self._new_database = new_database
        self._open = ExitStack()
        self._dsn = ""
        self._tenant = ""
        self._connection: Connection | None = None
        self._others: list[Connection] = []
        self._search_path = ""
        self._lasting: dict[str, list[str]] = {}
        self._state: list[Any] = []

    def __enter__(self) -> Tenants:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def new(self) -> Iterator[Connection]:
        """Yield a superuser's connection as a new tenant, for one test. Its session has compiled and planned what
        earlier tests called, which takes longer than most tests."""
        if self._connection is None:
            self._dsn = self._open.enter_context(self._new_database())
            self._connection = self._open.enter_context(psycopg.connect(self._dsn, autocommit=True))
            self._search_path = self._connection.execute("show search_path").fetchall()[0][0]
            tables = {name for name, _ in self._connection.execute(TABLES, (LEARNED,))}
            self._lasting = {name: _rows(self._connection, name) for name in LASTING if name in tables}
            self._state = _state(self._connection)
        # PGlite sets search_path in its session, and a reset changes it.
        self._connection.execute("select set_config('search_path', %s, false)", (self._search_path,))
        self._tenant = f"tenant_{uuid.uuid4().hex[:8]}"
        self._connection.execute("select braid.create_tenant(%s)", (self._tenant,))
        self._connection.execute("select set_config('braid.tenant', %s, false)", (self._tenant,))
        try:
            yield self._connection
        finally:
            if not (_is_cleared(self._connection, self._lasting) and _state(self._connection) == self._state):
                self._connection = None
                self._others.clear()
                self._open.close()

    @contextmanager
    def other_session(self, *, autocommit: bool = False) -> Iterator[Connection]:
        """Yield another session as the test's tenant; earlier tests have used it, too. Like a psycopg connection, it
        commits at the end, or rolls back after an error."""
        try:
            connection = self._others.pop()
        except IndexError:
            connection = self._open.enter_context(psycopg.connect(self._dsn, autocommit=True))
        connection.execute("select set_config('braid.tenant', %s, false)", (self._tenant,))
        connection.autocommit = autocommit
        try:
            yield connection
            if not connection.closed:
                connection.commit()
        finally:
            if not connection.closed:
                connection.rollback()
                connection.autocommit = True
                _reset(connection)
                self._others.append(connection)


def _is_cleared(connection: Connection, lasting: dict[str, list[str]]) -> bool:
    """Delete tenants' data and reset the session; return whether both are as new."""
    if connection.closed or not connection.autocommit or connection.info.transaction_status:
        return False
    try:
        _reset(connection)
        connection.execute("select braid.drop_collection(name) from braid.collections where name <> 'default'")
        connection.execute("select braid.drop_tenant(key, key) from braid_store.tenants where key <> 'default'")
        for _ in range(MOST_CALLS):
            row = connection.execute("select braid.maintain()").fetchone()
            if row and row[0]["complete"]:
                break
        for name, rows in lasting.items():
            table = sql.Identifier("braid_store", name)
            connection.execute(sql.SQL("delete from {} t where t::text <> all(%s)").format(table), (rows,))
            connection.execute(sql.SQL(RESTORE).format(table), (rows,))
        return True
    except psycopg.Error:
        pass
    return False


def _reset(connection: Connection) -> None:
    for what in ("reset session authorization", "reset all", "discard temp", "unlisten *"):
        connection.execute(what.encode())
    connection.isolation_level = connection.read_only = connection.deferrable = None


def _rows(connection: Connection, name: str) -> list[str]:
    query = sql.SQL("select t::text from {} t").format(sql.Identifier("braid_store", name))
    return [text for (text,) in connection.execute(query)]


def _state(connection: Connection) -> list[Any]:
    """Return whether each table of tenants has rows, and all rows of the other tables."""
    tables = connection.execute(TABLES, (LEARNED,)).fetchall()
    rows = sql.SQL(", ").join(
        sql.SQL("exists (select from {})" if is_of_tenants else "array(select t::text from {} t order by 1)").format(
            sql.Identifier("braid_store", name)
        )
        for name, is_of_tenants in tables
    )
    return [tables, connection.execute(CATALOG).fetchall(), connection.execute(sql.SQL("select ") + rows).fetchall()]
