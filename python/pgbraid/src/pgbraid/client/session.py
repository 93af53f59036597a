# Generated from async_client/session.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""A connection and the tenant it is used for: one statement per call, what it gives, and its errors."""

from __future__ import annotations

import json
import threading
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
from pgbraid.vectors import VECTOR_TYPES, register_vector_types

if TYPE_CHECKING:
    from pgbraid.client.routing import NodeRouting, StandbyRouting
    from pgbraid.vectors import VectorTypes

# Each statement sets the tenant for its own transaction: right behind a pooler, after a rollback, and on a
# connection that others use too.
TENANT = "set_config('braid.tenant', %(session_tenant)s, true)"
IS_NODE = "pg_catalog.to_regprocedure('braid_calls.tenant_here()') is not null"
# Has the server look, while it works on a statement, whether the client is still there: else it would work on for
# one that is gone. On some operating systems it cannot.
END_WITH_CLIENT = "pg_catalog.set_config('client_connection_check_interval', '2s', false)"
# What results are written in: psycopg reads times and intervals in no other way, and numbers lose nothing.
READABLE = (
    "pg_catalog.set_config('datestyle', 'ISO, MDY', false), pg_catalog.set_config('intervalstyle', 'postgres', false),"
    " pg_catalog.set_config('extra_float_digits', '1', false)"
)
# Held by the statement that a connection is at, of whatever client: who waits for it must not be taken for that one.
_LOCKS: WeakKeyDictionary[psycopg.Connection[Any], threading.Lock] = WeakKeyDictionary()


class Call:
    """What the statements of one call have in common."""

    def __init__(self) -> None:
        # Which connection is at one of them, if any, and a lock for whoever changes that or goes by it.
        self.connection: psycopg.Connection[Any] | None = None
        self.lock = threading.Lock()


class Session:
    """What the parts of the client have in common."""

    def __init__(self, connection: psycopg.Connection[Any], tenant: str, *, owns_connection: bool) -> None:
        self._connection = connection
        self.tenant = tenant
        self.owns_connection = owns_connection
        self.nodes: NodeRouting[Session] | None = None  # of a cluster
        # Where reads go, if not to the connection.
        self.standbys: StandbyRouting[Session] | None = None
        self.vector_types: VectorTypes = {}
        self.parts: frozenset[str] = frozenset()  # that the database has, when that was last looked at
        # That this is a view for, if for one.
        self.call: Call | None = None

    @property
    def connection(self) -> psycopg.Connection[Any]:
        """To the tenant's node, as far as that is known."""
        return self._connection if self.nodes is None else self.nodes.connection(self.tenant)

    def is_aborted(self) -> bool:
        return self.connection.info.transaction_status == TransactionStatus.INERROR

    def json(self, function: str, arguments: str = "", /, **parameters: Any) -> list[Any]:
        """Call a function that returns JSON; return one parsed value per row."""
        statement = f"select {called(function, arguments)}::text from {TENANT}"
        return parsed(self.rows(function, statement, **parameters))

    def json_rows(self, function: str, arguments: str = "", /, **parameters: Any) -> list[Any]:
        """Call a function that returns a table; return one object per row. In the select list it keeps their order."""
        statement = f"select to_jsonb({called(function, arguments)})::text from {TENANT}"
        return parsed(self.rows(function, statement, **parameters))

    def records(self, function: str, arguments: str = "", /, **parameters: Any) -> list[tuple[Any, ...]]:
        """Call a function that returns a table; return its rows, with values of Python's types."""
        rows = f"select {called(function, arguments)} from {TENANT}"
        return self.rows(function, f"select (r.one).* from ({rows}) r (one)", **parameters)

    def value(self, function: str, arguments: str = "", /, **parameters: Any) -> Any:
        """Call a function that returns one row; return its value."""
        return (self.rows(function, f"select {called(function, arguments)} from {TENANT}", **parameters))[0][0]

    def value_for_all(self, function: str, arguments: str = "", /, **parameters: Any) -> Any:
        """Call a function that is for all tenants; return its value."""
        return (self.rows(function, f"select {called(function, arguments)}", **parameters))[0][0]

    def rows(
        self, functions: str | tuple[str, ...], statement: str, /, **parameters: Any
    ) -> list[tuple[Any, ...]]:
        """Run a statement that calls these functions, or reads these views; return its rows."""
        try:
            return self._fetch(functions, statement, parameters)
        except psycopg.Error as error:
            if not is_outdated(error):
                raise self._typed(error, parameters) from error
            if self.connection.info.transaction_status != TransactionStatus.IDLE:
                raise upgraded(error, self.parts) from error
        # An upgrade came in between, and nothing has been done.
        try:
            return self._fetch(functions, statement, parameters)
        except psycopg.Error as error:
            if is_outdated(error):
                self.check_installation()
            raise self._typed(error, parameters) from error

    def check_installation(self, *, is_new: bool = False) -> bool:
        """Refuse a database whose version or functions are not those that this package can work with; learn where
        pgvector's types are. Tells whether it is a node of a cluster. The same statement has a new connection end with
        the client."""
        from pgbraid.install.compatibility import before_release, check_installed

        # As text: an application's own connection may read JSON in another way.
        sql = f"select version, part_hashes::text, ({VECTOR_TYPES}), {IS_NODE}{{}} from braid_calls.read_installation()"
        try:
            try:
                more = f", {READABLE}, {END_WITH_CLIENT}" if is_new else ""
                rows = self._fetch("read_installation", sql.format(more), {})
            except psycopg.DataError:
                more = f", {READABLE}" if is_new else ""
                rows = self._fetch("read_installation", sql.format(more), {})
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

    def _fetch(
        self, functions: str | tuple[str, ...], statement: str, parameters: Mapping[str, Any]
    ) -> list[tuple[Any, ...]]:
        if self.standbys is not None:
            names = frozenset((functions,) if isinstance(functions, str) else functions)
            return self.standbys.fetch(self, names, statement, parameters)
        if self.nodes is not None:
            return self.nodes.fetch(self, statement, parameters)
        return self.fetch_from(self.connection, statement, parameters)

    def fetch_from(
        self, connection: psycopg.Connection[Any], statement: str, parameters: Mapping[str, Any]
    ) -> list[tuple[Any, ...]]:
        has_vectors = any(isinstance(value, (Vector, list)) for value in parameters.values())
        if has_vectors and not self.vector_types:
            self.check_installation()
        call = self.call or Call()
        try:
            with (
                _LOCKS.setdefault(connection, threading.Lock()),
                connection.cursor(row_factory=tuple_row) as cursor,
            ):
                if has_vectors and not self.owns_connection:
                    # Not the connection: what the caller's own statements give stays as it is.
                    register_vector_types(cursor, self.vector_types)
                # Not prepared: that saves nothing here, and would outlive the functions that an upgrade drops.
                call.connection = connection
                try:
                    cursor.execute(
                        statement.encode(), {**parameters, "session_tenant": self.tenant}, prepare=False
                    )
                finally:
                    with call.lock:
                        call.connection = None
                return cursor.fetchall()
        except UnicodeEncodeError as error:
            raise InvalidArgumentError(
                f"text that is not Unicode: {error.reason}", hint="remove lone surrogates"
            ) from error

    def cancel(self) -> None:
        """The statement of this call that is under way, if one is. The next one on its connection waits meanwhile."""
        if self.call is not None:
            with self.call.lock:
                if self.call.connection is not None:
                    with suppress(psycopg.Error):
                        self.call.connection.cancel_safe(timeout=2)

    def _typed(self, error: psycopg.Error, parameters: Mapping[str, Any]) -> PgbraidError:
        if isinstance(error, psycopg.errors.NumericValueOutOfRange):
            return out_of_range(error, parameters)
        typed = from_psycopg(error, self.parts)
        if isinstance(typed, WrongNodeError):
            # A connection that is not the client's stays where it is.
            typed.retryable = self.nodes is not None
        return typed


def called(function: str, arguments: str) -> str:
    """Return a call of a function, which is one of the API if its schema is not given."""
    return f"{'' if '.' in function else 'braid.'}{function}({arguments})"


def parsed(rows: list[tuple[Any, ...]]) -> list[Any]:
    """Return the values of rows that have one text of JSON each."""
    try:
        return [None if row is None else json.loads(row) for (row,) in rows]
    except ValueError:
        from pgbraid.long_numbers import loads

        return [None if row is None else loads(row) for (row,) in rows]


def end_with_client(connection: psycopg.Connection[Any]) -> None:
    """As END_WITH_CLIENT, and READABLE."""
    connection.execute(f"select {READABLE}".encode())
    with suppress(psycopg.DataError):
        connection.execute(f"select {END_WITH_CLIENT}".encode())
