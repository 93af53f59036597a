"""What applications that only retrieve need of a search, whatever answers it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True)
class ScoredChunk:
    """A chunk of the document `external_id`; a higher score is better, and compares within one answer only."""

    external_id: str
    content: str
    score: float
    chunk_index: int = 0
    title: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


class Retriever(Protocol):
    """Finds the `k` best chunks for a query, best first. `Client` is one."""

    def retrieve(self, query: str, k: int = 10, filters: Mapping[str, Any] | None = None) -> list[ScoredChunk]: ...


class AsyncRetriever(Protocol):
    """A `Retriever` whose answer is awaited. `AsyncClient` is one."""

    async def retrieve(
        self, query: str, k: int = 10, filters: Mapping[str, Any] | None = None
    ) -> list[ScoredChunk]: ...
