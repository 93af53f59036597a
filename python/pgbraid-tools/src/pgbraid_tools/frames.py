"""Convert search results to data frames, and data frames to documents."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pgbraid.document_batches import DOCUMENT_KEYS
from pgbraid.errors import InvalidArgumentError
from pgbraid.long_numbers import fraction
from pgbraid.result_rows import COLUMNS, ResultRow
from pgbraid_tools.files.records import MOST_DIGITS

if TYPE_CHECKING:
    import pandas
    import pyarrow

__all__ = ["frame_documents", "to_arrow", "to_pandas"]

# These columns hold JSON objects of any shape; a typed table stores them as JSON text.
OBJECTS = ("metadata", "boosts", "query_ranks")
TIMES = ("occurred_at", "created_at")
NUMBERS = ("importance", "score")
INTEGERS = ("chunk_id", "document_id", "chunk_index", "token_count", "passage_start", "passage_end")


def to_pandas(rows: Sequence[ResultRow]) -> pandas.DataFrame:
    """Return a row for each result, best first, with a column for each attribute even if no result has it."""
    import pandas

    return pandas.DataFrame({name: [getattr(row, name) for row in rows] for name in COLUMNS})


def to_arrow(rows: Sequence[ResultRow]) -> pyarrow.Table:
    """Return a table like `to_pandas`, with column types that do not depend on the results. metadata, boosts and
    query_ranks are JSON texts."""
    import pyarrow

    columns: dict[str, Any] = {}
    for name in COLUMNS:
        values = [getattr(row, name) for row in rows]
        if name in OBJECTS:
            values = [None if value is None else json.dumps(value, ensure_ascii=False, default=str) for value in values]
        columns[name] = pyarrow.array(values, _type_of(name))
    return pyarrow.table(columns)


def _type_of(name: str) -> pyarrow.DataType:
    import pyarrow

    if name in TIMES:
        return pyarrow.timestamp("us", tz="UTC")
    if name in INTEGERS or name.endswith("_rank"):
        return pyarrow.int64()
    if name in NUMBERS or name.endswith("_score"):
        return pyarrow.float64()
    return pyarrow.string()


def frame_documents(frame: Any, id: str, text: str) -> Iterator[dict[str, Any]]:  # noqa: A002
    """Yield a document for each row, with the external_id from column `id` and the content from column `text`.

    Columns such as title or occurred_at fill the fields of the same name; all other columns become metadata. Missing
    values (None, NaN, NaT) are left out. Raise InvalidArgumentError if a column does not exist or a row has no id.
    """
    names = [str(name) for name in (frame.schema.names if hasattr(frame, "to_pylist") else frame.columns)]
    for argument, name in (("id", id), ("text", text)):
        if name not in names:
            raise InvalidArgumentError(
                f'{argument}: the frame has no column "{name}"', hint=f"its columns are: {', '.join(names) or 'none'}"
            )
    for argument, name, key in (("id", id, "external_id"), ("text", text, "content")):
        if name != key and key in names:
            raise InvalidArgumentError(
                f'{argument} is the column "{name}", and the frame has one "{key}" as well',
                hint=f'drop or rename the column "{key}"',
            )
    if id == text:
        raise InvalidArgumentError(f'id and text are both the column "{id}"', hint="name two columns")
    for number, row in enumerate(_rows(frame, names)):
        values = {name: value for name, given in row.items() if (value := _plain(given)) is not None}
        if id not in values:
            raise InvalidArgumentError(f'row {number} has no "{id}"', hint="give each row an id, or leave the row out")
        document: dict[str, Any] = {"external_id": str(values.pop(id))}
        document["content"] = str(values.pop(text, ""))
        metadata = values.pop("metadata", {})
        if not isinstance(metadata, Mapping):
            values["metadata"], metadata = metadata, {}
        others = {name: values.pop(name) for name in list(values) if name not in DOCUMENT_KEYS}
        document |= values
        if metadata or others:
            document.setdefault("metadata", {**metadata, **others})
        yield document


def _rows(frame: Any, names: Sequence[str]) -> Iterator[Mapping[str, Any]]:
    if hasattr(frame, "itertuples"):
        for values in frame.itertuples(index=False, name=None):
            yield dict(zip(names, values, strict=True))
    elif hasattr(frame, "iter_rows"):
        yield from frame.iter_rows(named=True)
    else:
        for batch in frame.to_batches() if hasattr(frame, "to_batches") else (frame,):
            yield from batch.to_pylist()


def _plain(value: Any) -> Any:
    """Return None for a missing value, a Python scalar for NumPy's, and a JSON number for a decimal."""
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        value = value.item()
    if isinstance(value, Decimal):
        is_short = value.is_finite() and value.adjusted() < MOST_DIGITS
        value = int(value) if is_short and value == value.to_integral_value() else fraction(str(value))
    return None if isinstance(value, float) and value != value else value
