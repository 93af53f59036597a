# Generated from async_client/statements.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""One statement per call: what it gives, and its errors."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import psycopg
from psycopg.pq import TransactionStatus
from psycopg.rows import tuple_row

from pgbraid.errors import InvalidArgumentError, PgbraidError, from_psycopg, is_outdated, out_of_range, upgraded

__all__ = ["TENANT", "Statements"]

# Each statement sets the tenant for its own transaction: right behind a pooler, after a rollback, and on a
# connection that others use too.
TENANT = "set_config('braid.tenant', %(tenant)s, true)"


class Statements:
    """What the parts of the client have in common."""

    connection: psycopg.Connection[Any]
    tenant: str

    def _json(self, call: str, /, **parameters: Any) -> list[Any]:
        """Of a call that gives JSON as text: each row's. Rows keep the function's order: it is called in the select
        list."""
        return [json.loads(row) for (row,) in self._rows(f"select {call} from {TENANT}", **parameters)]

    def _value(self, call: str, /, **parameters: Any) -> Any:
        """Of a call that gives one row: its value."""
        return (self._rows(f"select {call} from {TENANT}", **parameters))[0][0]

    def _value_for_all(self, call: str, /, **parameters: Any) -> Any:
        """Of a call that is for all tenants."""
        return (self._rows(f"select {call}", **parameters))[0][0]

    def _rows(self, statement: str, /, **parameters: Any) -> list[tuple[Any, ...]]:
        try:
            return self._fetch(statement, parameters)
        except psycopg.Error as error:
            if not is_outdated(error):
                raise self._typed(error, parameters) from error
            if self.connection.info.transaction_status != TransactionStatus.IDLE:
                raise upgraded(error) from error
        # An upgrade came in between, and nothing has been done.
        try:
            return self._fetch(statement, parameters)
        except psycopg.Error as error:
            if is_outdated(error):
                self._check_version()
            raise self._typed(error, parameters) from error

    def _fetch(self, statement: str, parameters: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        try:
            with self.connection.cursor(row_factory=tuple_row) as cursor:
                # Not prepared: that saves nothing here, and would outlive the functions that an upgrade drops.
                cursor.execute(statement.encode(), {**parameters, "tenant": self.tenant}, prepare=False)
                return cursor.fetchall()
        except UnicodeEncodeError as error:
            raise InvalidArgumentError(
                f"text that is not Unicode: {error.reason}", hint="remove lone surrogates"
            ) from error

    def _typed(self, error: psycopg.Error, parameters: Mapping[str, Any]) -> PgbraidError:
        if isinstance(error, psycopg.errors.NumericValueOutOfRange):
            return out_of_range(error, parameters)
        return from_psycopg(error)

    def _check_version(self) -> None:
        """Refuse a database whose version or functions are not those that this package can work with."""
        from pgbraid.install.state import check_installed

        try:
            rows = self._fetch("select version, content_hash from braid_store.installation", {})
        except psycopg.Error as error:
            raise from_psycopg(error) from error
        check_installed(*rows[0] if rows else (None, None))
