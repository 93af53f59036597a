"""Run one statement per call on a connection for a tenant; convert results and errors."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import psycopg
from pgvector import Vector
from psycopg.pq import TransactionStatus
from psycopg.rows import tuple_row

from pgbraid.errors import (
    InvalidArgumentError,
    PgbraidError,
    WrongNodeError,
    from_psycopg,
    is_outdated,
    out_of_range,
    upgraded,
)
from pgbraid.long_numbers import loads
from pgbraid.vectors import VECTOR_TYPES, register_vector_types

if TYPE_CHECKING:
    from pgbraid.async_client.routing import NodeRouting, StandbyRouting
    from pgbraid.vectors import VectorTypes

# Each statement sets the tenant for its own transaction. So the tenant is right behind a pooler, after a rollback, and
# on a connection with several users.
TENANT = "set_config('braid.tenant', %(session_tenant)s, true)"
IS_NODE = "pg_catalog.to_regprocedure('braid_calls.tenant_here()') is not null"
# Makes the server check every 2 s whether the client still exists. Without this check, the server would finish a
# statement whose client is gone. Some operating systems do not support it.
END_WITH_CLIENT = "pg_catalog.set_config('client_connection_check_interval', '2s', false)"
# Settings of results: psycopg parses no other form of times and intervals, and numbers lose no digit.
READABLE = (
    "pg_catalog.set_config('datestyle', 'ISO, MDY', false), pg_catalog.set_config('intervalstyle', 'postgres', false),"
    " pg_catalog.set_config('extra_float_digits', '1', false)"
)
# Held while a connection runs a statement of any client, so that a waiting call never cancels the running one.
_LOCKS: WeakKeyDictionary[psycopg.AsyncConnection[Any], asyncio.Lock] = WeakKeyDictionary()


class Call:
    """Hold the state that all statements of one call share."""

    def __init__(self) -> None:
        # The connection that runs a statement of this call, if any; the lock guards changes of it, and cancelling.
        self.connection: psycopg.AsyncConnection[Any] | None = None
        self.lock = asyncio.Lock()


class Session:
    """Hold the connection, the tenant and the routing that all parts of the client share."""

    def __init__(self, connection: psycopg.AsyncConnection[Any], tenant: str, *, owns_connection: bool) -> None:
        self._connection = connection
        self.tenant = tenant
        self.owns_connection = owns_connection
        self.nodes: NodeRouting[Session] | None = None  # set on a cluster only
        # Where reads go, if not to the connection.
        self.standbys: StandbyRouting[Session] | None = None
        self.vector_types: VectorTypes = {}
        self.parts: frozenset[str] = frozenset()  # parts that the database had at the last check
        # The call that this session is a view for, if any.
        self.call: Call | None = None

    @property
    def connection(self) -> psycopg.AsyncConnection[Any]:
        """Return the connection to the tenant's node, if known, else the first one."""
        return self._connection if self.nodes is None else self.nodes.connection(self.tenant)

    def is_aborted(self) -> bool:
        return self.connection.info.transaction_status == TransactionStatus.INERROR

    async def json(self, function: str, arguments: str = "", /, **parameters: Any) -> list[Any]:
        """Call a function that returns JSON; return one parsed value per row."""
        statement = f"select {called(function, arguments)}::text from {TENANT}"
        return parsed(await self.rows(function, statement, **parameters))

    async def json_rows(self, function: str, arguments: str = "", /, **parameters: Any) -> list[Any]:
        """Call a function that returns a table; return one object per row. The select list keeps the rows' order."""
        statement = f"select to_jsonb({called(function, arguments)})::text from {TENANT}"
        return parsed(await self.rows(function, statement, **parameters))

    async def records(self, function: str, arguments: str = "", /, **parameters: Any) -> list[tuple[Any, ...]]:
        """Call a function that returns a table; return its rows as tuples of Python's types."""
        rows = f"select {called(function, arguments)} from {TENANT}"
        return await self.rows(function, f"select (r.one).* from ({rows}) r (one)", **parameters)

    async def value(self, function: str, arguments: str = "", /, **parameters: Any) -> Any:
        """Call a function that returns one row; return its value."""
        return (await self.rows(function, f"select {called(function, arguments)} from {TENANT}", **parameters))[0][0]

    async def value_for_all(self, function: str, arguments: str = "", /, **parameters: Any) -> Any:
        """Call a function that needs no tenant; return its value."""
        return (await self.rows(function, f"select {called(function, arguments)}", **parameters))[0][0]

    async def rows(
        self, functions: str | tuple[str, ...], statement: str, /, **parameters: Any
    ) -> list[tuple[Any, ...]]:
        """Run a statement that calls these functions, or reads these views; return its rows."""
        try:
            return await self._fetch(functions, statement, parameters)
        except psycopg.Error as error:
            if not is_outdated(error):
                raise self._typed(error, parameters) from error
            if self.connection.info.transaction_status != TransactionStatus.IDLE:
                raise upgraded(error, self.parts) from error
        # An upgrade came in between, and the statement did nothing.
        try:
            return await self._fetch(functions, statement, parameters)
        except psycopg.Error as error:
            if is_outdated(error):
                await self.check_installation()
            raise self._typed(error, parameters) from error

    async def check_installation(self, *, is_new: bool = False) -> bool:
        """Check that this package can work with the database's version and functions, and find pgvector's types;
        return whether the database is a node of a cluster. The statement also sets READABLE and END_WITH_CLIENT if
        `is_new`."""
        from pgbraid.install.compatibility import before_release, check_installed

        # Hashes are read as text, because an application's own connection may convert JSON in another way.
        sql = f"select version, part_hashes::text, ({VECTOR_TYPES}), {IS_NODE}{{}} from braid_calls.read_installation()"
        try:
            try:
                more = f", {READABLE}, {END_WITH_CLIENT}" if is_new else ""
                rows = await self._fetch("read_installation", sql.format(more), {})
            except psycopg.DataError:
                more = f", {READABLE}" if is_new else ""
                rows = await self._fetch("read_installation", sql.format(more), {})
        except psycopg.errors.UndefinedColumn as error:
            raise before_release() from error
        except psycopg.Error as error:
            raise from_psycopg(error) from error
        version, hashes, self.vector_types, is_node = rows[0][:4] if rows else (None, "{}", {}, False)
        part_hashes = json.loads(hashes or "{}")
        check_installed(version, part_hashes)
        self.parts = frozenset(part_hashes)
        if self.owns_connection:
            register_vector_types(self.connection, self.vector_types)
        return bool(is_node)

    async def _fetch(
        self, functions: str | tuple[str, ...], statement: str, parameters: Mapping[str, Any]
    ) -> list[tuple[Any, ...]]:
        if self.standbys is not None:
            names = frozenset((functions,) if isinstance(functions, str) else functions)
            return await self.standbys.fetch(self, names, statement, parameters)
        if self.nodes is not None:
            return await self.nodes.fetch(self, statement, parameters)
        return await self.fetch_from(self.connection, statement, parameters)

    async def fetch_from(
        self, connection: psycopg.AsyncConnection[Any], statement: str, parameters: Mapping[str, Any]
    ) -> list[tuple[Any, ...]]:
        has_vectors = any(isinstance(value, (Vector, list)) for value in parameters.values())
        if has_vectors and not self.vector_types:
            await self.check_installation()
        call = self.call or Call()
        try:
            async with (
                _LOCKS.setdefault(connection, asyncio.Lock()),
                connection.cursor(row_factory=tuple_row) as cursor,
            ):
                if has_vectors and not self.owns_connection:
                    # The connection keeps its types, so that the caller's own statements return the same as before.
                    register_vector_types(cursor, self.vector_types)
                # A prepared statement saves nothing here, and would outlive the functions that an upgrade drops.
                call.connection = connection
                try:
                    await cursor.execute(
                        statement.encode(), {**parameters, "session_tenant": self.tenant}, prepare=False
                    )
                finally:
                    async with call.lock:
                        call.connection = None
                return await cursor.fetchall()
        except UnicodeEncodeError as error:
            raise InvalidArgumentError(
                f"text that is not Unicode: {error.reason}", hint="remove lone surrogates"
            ) from error

    async def cancel(self) -> None:
        """Cancel the running statement of this call, if any. The next statement on its connection waits meanwhile."""
        if self.call is not None:
            async with self.call.lock:
                if self.call.connection is not None:
                    with suppress(psycopg.Error):
                        await self.call.connection.cancel_safe(timeout=2)

    def _typed(self, error: psycopg.Error, parameters: Mapping[str, Any]) -> PgbraidError:
        if isinstance(error, psycopg.errors.NumericValueOutOfRange):
            return out_of_range(error, parameters)
        typed = from_psycopg(error, self.parts)
        if isinstance(typed, WrongNodeError):
            # A client on a connection of the caller's cannot follow its tenant to another node.
            typed.retryable = self.nodes is not None
        return typed


def called(function: str, arguments: str) -> str:
    """Return the call of a function, which is in the schema braid unless qualified."""
    return f"{'' if '.' in function else 'braid.'}{function}({arguments})"


def parsed(rows: list[tuple[Any, ...]]) -> list[Any]:
    """Return the parsed values of rows with one JSON text each."""
    return [None if row is None else loads(row) for (row,) in rows]


async def end_with_client(connection: psycopg.AsyncConnection[Any]) -> None:
    """Set READABLE and END_WITH_CLIENT on a connection."""
    await connection.execute(f"select {READABLE}".encode())
    with suppress(psycopg.DataError):
        await connection.execute(f"select {END_WITH_CLIENT}".encode())
