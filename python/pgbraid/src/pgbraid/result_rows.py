"""A row of a search, and times as rows have them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["COLUMNS", "ResultRow", "parse_time"]


@dataclass(frozen=True)
class ResultRow:
    """What `SearchResult` says of a chunk found: the row `braid.search_result`."""

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

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Self:
        """From a row as JSON. Columns that only a newer database has are left out."""
        values = {name: row[name] for name in COLUMNS if name in row}
        for name in ("occurred_at", "created_at"):
            values[name] = parse_time(values.get(name))
        return cls(**values)


COLUMNS = tuple(column.name for column in fields(ResultRow))


def parse_time(value: str | None) -> datetime | None:
    """PostgreSQL's JSON form of a timestamptz; times beyond the years 1 to 9999 become datetime's bounds."""
    if value is None:
        return None
    parts = re.fullmatch(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?([+-]\d\d:\d\d)(?::\d\d)?", value)
    if parts is None:
        past = value.startswith("-") or value.endswith("BC")
        return (datetime.min if past else datetime.max).replace(tzinfo=timezone.utc)
    # Python 3.10 reads fractions of 3 or 6 digits only.
    return datetime.fromisoformat(f"{parts[1]}.{(parts[2] or '').ljust(6, '0')}{parts[3]}")
