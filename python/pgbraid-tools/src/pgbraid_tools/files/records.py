"""Turn records, such as rows and JSON objects, into documents."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import islice
from typing import Any
from uuid import UUID

from pgbraid.long_numbers import dumps, fraction
from pgbraid_tools.errors import IngestError
from pgbraid_tools.files.drafts import Draft, Fields, Input

__all__ = [
    "MISSING",
    "ROWS_LOOKED_AT",
    "draft_of_record",
    "field_value",
    "guess_text",
    "plain",
    "text_fields",
    "text_of_table",
]

ID_NAMES = ("external_id", "_id", "id")
# A record's `id` is unique within its file only. The other names hold ids of the user's own, as in a query or a BEIR
# collection; judgments refer to these.
FILE_ID_NAME = "id"
TEXT_NAMES = ("text", "content", "body")
# These columns of a document are taken from fields of the same name, unless told otherwise.
_NAMED = ("title", "speaker", "occurred_at", "category", "importance", "language", "source_uri")
MISSING = object()
# Python writes longer numbers as Decimal alone.
MOST_DIGITS = 4000
# The number of rows examined to find columns of text.
ROWS_LOOKED_AT = 100
# Numbers, addresses, dates and identifiers of programs are no text.
_NO_TEXT = re.compile(
    r"[\d\W_]*|\w+://\S*|[\w.+-]+@[\w.-]+|[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}|\d{4}-\d\d-\d\d([ T][\d:.+Z-]*)?( BC)?"
)
_CHARACTERS_LOOKED_AT = 100


def text_fields(fields: Fields, names: Mapping[str, Any] | list[str]) -> tuple[str, ...]:
    """Return the fields that hold the text: the fields asked for, else the first usual name, or none."""
    if fields.text:
        return fields.text
    return next(((name,) for name in TEXT_NAMES if name in names), ())


def text_of_table(file: Input, names: list[str], rows: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the columns that hold the text. If neither the user nor a usual name says it, guess from the first
    rows."""
    if found := text_fields(file.fields, names) or guess_text(file.fields, islice(rows, ROWS_LOOKED_AT)):
        return found
    known = ", ".join(map(repr, names))
    raise file.error("nothing says which column is the text", hint=f"--text-column NAME; its columns are {known}")


def guess_text(fields: Fields, records: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the fields that mostly hold text, in their order, except that the field with the most text comes last."""
    known = {*ID_NAMES, "metadata", *_NAMED, *(name for name in vars(fields).values() if isinstance(name, str))}
    values: dict[str, list[str | None]] = {}
    for record in records:
        for name, value in record.items():
            if value is not None and value != "":
                is_text = isinstance(value, str) and not _NO_TEXT.fullmatch(value.strip()[:_CHARACTERS_LOOKED_AT])
                values.setdefault(name, []).append(value if is_text else None)
    lengths = {
        name: sum(len(text) for text in texts if text)
        for name, texts in values.items()
        if 2 * sum(text is not None for text in texts) >= len(texts)
    }
    found = [name for name in lengths if name not in known] or [name for name in ("title",) if name in lengths]
    longest = max(found, key=lengths.__getitem__, default=None)
    return tuple(sorted(found, key=lambda name: name == longest))


def draft_of_record(
    record: Mapping[str, Any],
    fields: Fields,
    file: Input,
    number: int,
    *,
    text: Sequence[str] = (),
    table: str = "",
    line: int | None = None,
    position: int = 0,
) -> Draft:
    """Return the document of a record, the `number`th of its file or of the table `table` in it. `text` names its
    fields of text, unless the user or a usual name decides."""
    prefix = f"{table}-" if table else ""
    taken = set()

    def value_of(name: str | None) -> Any:
        if name is None:
            return None
        found = field_value(record, name)
        if found is MISSING:
            raise file.error(f"no {name!r}", line=line, hint=f"there are {', '.join(map(repr, record)) or 'none'}")
        taken.add(name)
        return found

    names = text_fields(fields, record)
    guessed = () if names else tuple(text) or guess_text(fields, [record])
    try:
        texts = [_text(value_of(name)) for name in names or guessed]
        # The other guessed fields stay in the metadata as well, since one may be a fact such as a status.
        taken.difference_update(guessed[:-1])
        id_name = fields.id or next((name for name in ID_NAMES if name in record), None)
        external_id = _text(value_of(id_name))
        values: dict[str, Any] = {}
        for name in _NAMED:
            asked = getattr(fields, name)
            value = value_of(asked or (name if name in record else None))
            if value is not None and value != "":
                values[name] = _number(value) if name == "importance" else _text(value)
        if fields.metadata is None:
            metadata = {name: value for name, value in record.items() if name not in taken}
            inner = metadata.get("metadata")
            if isinstance(inner, Mapping):
                metadata = {**{name: value for name, value in metadata.items() if name != "metadata"}, **inner}
        else:
            metadata = {name: value_of(name) for name in fields.metadata}
    except IngestError as error:
        return Draft(line=line, position=position, error=error)
    if not names and not guessed:
        known = ", ".join(map(repr, record)) or "none"
        problem = file.error(
            "nothing says which field is the text",
            line=line,
            hint=f"name the field of the text: --text-column NAME, or --text-key; there are {known}",
        )
        return Draft(line=line, position=position, error=problem)
    content = "\n\n".join(text for text in texts if text.strip())
    if not content:
        return Draft(line=line, position=position, skipped=True)
    kept_metadata = {name: kept for name, value in metadata.items() if (kept := plain(value)) is not None}
    values["content"] = content
    if kept_metadata:
        values["metadata"] = kept_metadata
    if external_id and id_name == FILE_ID_NAME and not fields.id and file.kind != "sql":
        return Draft(values, f"{prefix}{external_id}", position, line, row=external_id)
    if external_id:
        return Draft({"external_id": external_id, **values}, None, position, line)
    if id_name and fields.id:
        return Draft(line=line, position=position, error=file.error(f"no value of {id_name!r}", line=line))
    return Draft({"title": f"{file.title} {number}", **values}, f"{prefix}row-{number}", position, line)


def field_value(record: Mapping[str, Any], name: str) -> Any:
    """Return the value of a key, or MISSING; a dot leads into an object, as in body.html."""
    if name in record:
        return record[name]
    found: Any = record
    for part in name.split("."):
        if not isinstance(found, Mapping) or part not in found:
            return MISSING
        found = found[part]
    return found


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    known = plain(value)
    return known if isinstance(known, str) else dumps(known, str, ensure_ascii=False)


def _number(value: Any) -> Any:
    """Convert text that looks like a number. Other values stay as they are, for the database to refuse."""
    if isinstance(value, str):
        try:
            return float(value) if math.isfinite(float(value)) else value
        except ValueError:
            return value
    return plain(value)


def plain(value: Any) -> Any:
    """Return a value as JSON types; None if JSON cannot represent it."""
    if isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Decimal):
        if not value.is_finite() or value.adjusted() >= MOST_DIGITS:
            return value if value.is_finite() else None
        return int(value) if value == value.to_integral_value() else fraction(str(value))
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, Mapping):
        return {str(name): plain(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [plain(inner) for inner in value]
    return None if value is None or isinstance(value, (bytes, bytearray, memoryview)) else str(value)
