"""The pages of a search that come one after the other, each better than the one before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pgbraid.results import SearchResult, SearchResults


@dataclass(frozen=True)
class RankChanges:
    """What is different from the page before, by chunk_id. Of the first page, all rows are new."""

    new: list[int] = field(default_factory=list)
    gone: list[int] = field(default_factory=list)
    # The rank before and now, of rows that both have at different ranks; ranks start at 1.
    moved: dict[int, tuple[int, int]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.new or self.gone or self.moved)


class StreamedResults(SearchResults):
    """The rows of a search as far as it has come.

    `stage` is full_text, semantic, sparse, fused or reranked. `is_last` tells the page that `client.search` would have
    given. `changes` tells what is different from the page before, and `elapsed_ms` how long after the beginning the
    page was there.
    """

    def __init__(
        self,
        rows: Sequence[SearchResult],
        *,
        stage: str,
        is_last: bool,
        changes: RankChanges,
        elapsed_ms: float,
        query: str | None = None,
        stats: dict[str, Any] | None = None,
        warnings: Sequence[dict[str, Any]] = (),
    ) -> None:
        super().__init__(rows, query=query, stats=stats, warnings=warnings)
        self.stage = stage
        self.is_last = is_last
        self.changes = changes
        self.elapsed_ms = elapsed_ms

    def __repr__(self) -> str:
        codes = "".join(f", {warning.get('code')}" for warning in self.warnings)
        last = ", last" if self.is_last else ""
        return f"<StreamedResults: {self.stage}{last}, {len(self)} for {self.query!r}{codes}>"


def rank_changes(before: Sequence[SearchResult], now: Sequence[SearchResult]) -> RankChanges:
    old = {row.chunk_id: rank for rank, row in enumerate(before, 1)}
    ranks = {row.chunk_id: rank for rank, row in enumerate(now, 1)}
    return RankChanges(
        new=[chunk_id for chunk_id in ranks if chunk_id not in old],
        gone=[chunk_id for chunk_id in old if chunk_id not in ranks],
        moved={
            chunk_id: (old[chunk_id], rank)
            for chunk_id, rank in ranks.items()
            if chunk_id in old and old[chunk_id] != rank
        },
    )
