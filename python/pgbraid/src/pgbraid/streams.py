"""Define the pages of a streamed search, each better than the previous one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pgbraid.results import SearchResult, SearchResults


@dataclass(frozen=True)
class RankChanges:
    """Hold the changes since the previous page, by chunk_id. On the first page, all rows are new."""

    new: list[int] = field(default_factory=list)
    gone: list[int] = field(default_factory=list)
    # Previous and current rank of each row that both pages have at different ranks; ranks start at 1.
    moved: dict[int, tuple[int, int]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.new or self.gone or self.moved)


class StreamedResults(SearchResults):
    """Hold one page of a streamed search.

    `stage` is full_text, semantic, sparse, fused or reranked. `is_last` marks the page that equals the result of
    `client.search`. `changes` lists the changes since the previous page, and `elapsed_ms` is the time since the start.
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
