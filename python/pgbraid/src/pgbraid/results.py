"""What searches return."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, overload

if TYPE_CHECKING:
    import pandas
    import pyarrow
    from matplotlib.axes import Axes

    from pgbraid.display import Style

__all__ = ["FacetValue", "SearchResult", "SearchResults"]


@dataclass(frozen=True)
class SearchResult:
    """A chunk found: the row `braid.search_result`.

    `score` is what the rows are ordered by. `full_text_score` is BM25, `semantic_score` the similarity (for
    the cosine distance: 1 − distance), `sparse_score` that of weighted terms; ranks start at 1. A leg that did not find
    the chunk has None. `snippet` is HTML, and None unless the options of the search ask for it; so are `group_score`,
    `passage` (the chunk with its neighbours, of the chunk_indexes `passage_start` to `passage_end`) and, on the last
    row of a page that is not the last, `cursor`.

    Of several queries, `query_ranks` has the rank and the score of the row for each that has it.

    After reranking the rows are ordered by `rerank_score`, and `score` is what it was.
    """

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
    def from_row(cls, row: Mapping[str, Any]) -> SearchResult:
        """From a row as JSON. Columns that only a newer database has are left out."""
        values = {name: row[name] for name in _FIELDS if name in row}
        for name in ("occurred_at", "created_at"):
            values[name] = parse_time(values.get(name))
        return cls(**values)

    def __str__(self) -> str:
        from pgbraid.display import result_lines

        return "\n".join(result_lines(self, None, "", None))


_FIELDS = tuple(column.name for column in fields(SearchResult))


class SearchResults(Sequence[SearchResult]):
    """The rows of a search, best first.

    `stats` says how they were found (mode, candidates per leg, terms, time in ms). `warnings` is a list of
    `{"code": …, "message": …}`: what the rows alone cannot say, such as `embedding_unavailable`, when a
    hybrid search had to do with full text.
    """

    def __init__(
        self,
        rows: Sequence[SearchResult],
        *,
        query: str | None = None,
        stats: dict[str, Any] | None = None,
        warnings: Sequence[dict[str, Any]] = (),
    ) -> None:
        self.query = query
        self.stats = stats or {}
        self.warnings = list(warnings)
        self._rows = tuple(rows)

    @property
    def next_cursor(self) -> str | None:
        """What the option `cursor` asks for the next page with; None after the last one, and without that option."""
        return self._rows[-1].cursor if self._rows else None

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> SearchResult: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[SearchResult]: ...

    def __getitem__(self, index: int | slice) -> SearchResult | Sequence[SearchResult]:
        return self._rows[index]

    def __repr__(self) -> str:
        codes = "".join(f", {warning.get('code')}" for warning in self.warnings)
        return f"<SearchResults: {len(self)} for {self.query!r}{codes}>"

    def __str__(self) -> str:
        return self.format()

    def format(self, style: Style | None = None) -> str:
        """The rows as text. `style(text, kind)` may colour; kind is title, score, faint or warning."""
        from pgbraid.display import results_text

        return results_text(self, style)

    def _repr_html_(self) -> str:
        from pgbraid.notebooks import results_html

        return results_html(self)

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a DataFrame, a column for each attribute of a `SearchResult`. Needs pandas."""
        from pgbraid.frames import to_pandas

        return to_pandas(self)

    def to_arrow(self) -> pyarrow.Table:
        """As `to_pandas`, as an Arrow table; metadata, boosts and query_ranks are JSON texts. Needs pyarrow."""
        from pgbraid.frames import to_arrow

        return to_arrow(self)

    def plot_scores(self, axes: Axes | None = None) -> Axes:
        """Bars of the normalised scores that the legs gave each row. Needs matplotlib."""
        from pgbraid.notebooks import plot_scores

        return plot_scores(self, axes)


@dataclass(frozen=True)
class FacetValue:
    """A value of a key, and how many chunks have it."""

    value: str | float | bool
    count: int


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
