"""Search results as data frames."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pgbraid.result_rows import COLUMNS, ResultRow

if TYPE_CHECKING:
    import pandas
    import pyarrow

__all__ = ["to_arrow", "to_pandas"]

# Objects of any shape: in a table with types they are JSON.
OBJECTS = ("metadata", "boosts", "query_ranks")
TIMES = ("occurred_at", "created_at")
NUMBERS = ("importance", "score")
INTEGERS = ("chunk_id", "document_id", "chunk_index", "token_count", "passage_start", "passage_end")


def to_pandas(rows: Sequence[ResultRow]) -> pandas.DataFrame:
    """A row for each result, best first, and a column for each attribute, whether or not any result has it."""
    import pandas

    return pandas.DataFrame({name: [getattr(row, name) for row in rows] for name in COLUMNS})


def to_arrow(rows: Sequence[ResultRow]) -> pyarrow.Table:
    """As `to_pandas`, with the same types whatever was found; metadata, boosts and query_ranks are JSON texts."""
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
