# Generated from async_client/statements.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""One statement per call: what it gives, and its errors."""

from __future__ import annotations

import json
from typing import Any

import psycopg
from psycopg.rows import tuple_row

from pgbraid.errors import InvalidArgumentError, from_psycopg, out_of_range

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
            with self.connection.cursor(row_factory=tuple_row) as cursor:
                cursor.execute(statement.encode(), {**parameters, "tenant": self.tenant})
                return cursor.fetchall()
        except psycopg.errors.NumericValueOutOfRange as error:
            raise out_of_range(error, parameters) from error
        except psycopg.Error as error:
            raise from_psycopg(error) from error
        except UnicodeEncodeError as error:
            raise InvalidArgumentError(
                f"text that is not Unicode: {error.reason}", hint="remove lone surrogates"
            ) from error
