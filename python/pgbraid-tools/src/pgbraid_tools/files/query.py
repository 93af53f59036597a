"""Read the rows of a query from any PostgreSQL database."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import psycopg
from psycopg.abc import AdaptContext, Buffer
from psycopg.abc import Loader as LoaderProtocol
from psycopg.adapt import Loader
from psycopg.pq import Format
from psycopg.types.json import set_json_loads

from pgbraid import long_numbers
from pgbraid_tools.files.drafts import Draft, Fields, Input, NoText
from pgbraid_tools.files.records import ROWS_LOOKED_AT, draft_of_record, text_of_table

__all__ = ["query_drafts"]

ROWS = 500


def query_drafts(dsn: str, query: str, fields: Fields) -> Iterator[Draft]:
    """Yield a document for each row, read through a cursor. Raise IngestError, or NoText if there is no row."""
    from pgbraid._dsn import usable_dsn

    file = Input(Path("query"), "--sql", 0, "sql", "query", fields)
    number = 0
    with psycopg.connect(usable_dsn(dsn, "--from")) as connection:
        _take_any_value(connection)
        connection.read_only = True
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        with connection.cursor(name="pgbraid_ingest") as cursor:
            cursor.itersize = ROWS
            try:
                cursor.execute(query.encode())
            except psycopg.Error as error:
                message = error.diag.message_primary or str(error)
                raise file.error(
                    message, hint=error.diag.message_hint or "give one select, without a semicolon"
                ) from error
            names = [column.name for column in cursor.description or ()]
            known = ", ".join(map(repr, names))
            for name in (
                *fields.text,
                *(fields.metadata or ()),
                *(n for n in vars(fields).values() if isinstance(n, str)),
            ):
                if name not in names:
                    raise file.error(f"no column {name!r}", hint=f"its columns are {known}")
            if not fields.id and not {"external_id", "_id", "id"} & set(names):
                raise file.error(
                    "nothing says which column is the id", hint=f"--id-column NAME; its columns are {known}"
                )
            first = [dict(zip(names, row, strict=True)) for row in cursor.fetchmany(ROWS_LOOKED_AT)]
            text = text_of_table(file, names, first)
            records = chain(first, (dict(zip(names, row, strict=True)) for row in cursor))
            for number, record in enumerate(records, 1):
                yield draft_of_record(record, fields, file, number, text=text, line=number)
    if not number:
        raise NoText("no rows")


def _take_any_value(connection: psycopg.Connection[Any]) -> None:
    """Read values that Python cannot represent as text: a date BC, or a JSON number with thousands of digits."""

    def loads(data: str | bytes) -> Any:
        try:
            return long_numbers.loads(data)
        except (ValueError, RecursionError):
            return data if isinstance(data, str) else data.decode()

    set_json_loads(loads, connection)
    for name in ("date", "time", "timetz", "timestamp", "timestamptz", "interval"):
        kind = connection.adapters.types[name]
        connection.adapters.register_loader(kind.oid, _as_text_if_need_be(connection, kind.oid))


def _as_text_if_need_be(connection: psycopg.Connection[Any], oid: int) -> type[Loader]:
    kind = connection.adapters.get_loader(oid, Format.TEXT)
    assert kind is not None
    known: type[LoaderProtocol] = kind

    class Tolerant(Loader):
        def __init__(self, oid: int, context: AdaptContext | None = None) -> None:
            super().__init__(oid, context)
            self._known = known(oid, context)

        def load(self, data: Buffer) -> Any:
            try:
                return self._known.load(data)
            except (psycopg.DataError, ValueError, OverflowError):
                return bytes(data).decode()

    return Tolerant
