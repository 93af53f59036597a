"""Make dataclasses from rows in JSON, such as the rows of a search."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime, timezone
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Self


class Row:
    """Make a dataclass from the database's JSON."""

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Self:
        """Return an instance from a row or an object as JSON. Keys that only a newer database has are left out."""
        kind: Any = cls
        names, times = _columns(kind)
        values = {name: row[name] for name in names if name in row}
        for name in times:
            values[name] = parse_time(values.get(name))
        return cls(**values)


@cache
def _columns(kind: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of the class's columns, and of its columns with times."""
    names = {column.name: str(column.type) for column in fields(kind)}
    return tuple(names), tuple(name for name in names if "datetime" in names[name])


@dataclass(frozen=True)
class ResultRow(Row):
    """Hold all columns of `SearchResult`: the row `braid.search_result`."""

    chunk_id: int
    document_id: int
    external_id: str
    chunk_index: int
    content: str
    score: float
    title: str | None = None
    source_uri: str | None = None
    speaker: str | None = None
    category: str | None = None
    importance: float | None = None
    occurred_at: datetime | None = None
    created_at: datetime | None = None
    token_count: int | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    rerank_score: float | None = None
    blended_score: float | None = None
    full_text_score: float | None = None
    full_text_normalised_score: float | None = None
    full_text_rank: int | None = None
    semantic_score: float | None = None
    semantic_normalised_score: float | None = None
    semantic_rank: int | None = None
    snippet: str | None = None
    fused_score: float | None = None
    boosts: list[dict[str, Any]] | None = None
    group_score: float | None = None
    passage: str | None = None
    passage_start: int | None = None
    passage_end: int | None = None
    cursor: str | None = None
    sparse_score: float | None = None
    sparse_normalised_score: float | None = None
    sparse_rank: int | None = None
    query_ranks: list[dict[str, Any]] | None = None
    blended_parts: list[dict[str, Any]] | None = None


COLUMNS = tuple(column.name for column in fields(ResultRow))


def parse_time(value: str | None) -> datetime | None:
    """Parse PostgreSQL's JSON form of a timestamptz; times beyond the years 1 to 9999 become datetime's bounds."""
    if value is None:
        return None
    parts = re.fullmatch(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?([+-]\d\d:\d\d)(?::\d\d)?", value)
    if parts is None:
        past = value.startswith("-") or value.endswith("BC")
        return (datetime.min if past else datetime.max).replace(tzinfo=timezone.utc)
    # Python 3.10 reads fractions of 3 or 6 digits only.
    return datetime.fromisoformat(f"{parts[1]}.{(parts[2] or '').ljust(6, '0')}{parts[3]}")
