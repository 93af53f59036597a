"""The rows of a query of any PostgreSQL database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pgbraid.files.drafts import Draft, Fields, Input, NoText
from pgbraid.files.records import draft_of_record, text_fields

__all__ = ["query_drafts"]

ROWS = 500


def query_drafts(dsn: str, query: str, fields: Fields) -> Iterator[Draft]:
    """A document of each row, read through a cursor. Raises IngestError, and NoText if there is no row."""
    import psycopg

    from pgbraid._dsn import usable_dsn

    file = Input(Path("query"), "--sql", 0, "sql", "query", fields)
    number = 0
    with psycopg.connect(usable_dsn(dsn, "--from")) as connection:
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
            if not text_fields(fields, names):
                raise file.error(
                    "nothing says which column is the text", hint=f"--text-column NAME; its columns are {known}"
                )
            if not fields.id and not {"external_id", "_id", "id"} & set(names):
                raise file.error(
                    "nothing says which column is the id", hint=f"--id-column NAME; its columns are {known}"
                )
            row: tuple[Any, ...]
            for number, row in enumerate(cursor, 1):
                record = dict(zip(names, row, strict=True))
                yield draft_of_record(record, fields, file, number, line=number)
    if not number:
        raise NoText("no rows")
