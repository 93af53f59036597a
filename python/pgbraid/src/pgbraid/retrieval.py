"""Define the protocol of retrievers, for applications that need only retrieval from any search engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True)
class ScoredChunk:
    """Hold a chunk of the document `external_id`; a higher score is better, and compares within one answer only."""

    external_id: str
    content: str
    score: float
    chunk_index: int = 0
    title: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


class Retriever(Protocol):
    """Find the `k` best chunks for a query, best first. `Client` is a Retriever."""

    def retrieve(self, query: str, k: int = 10, filters: Mapping[str, Any] | None = None) -> list[ScoredChunk]: ...


class AsyncRetriever(Protocol):
    """Find as `Retriever` does, in a coroutine. `AsyncClient` is an AsyncRetriever."""

    async def retrieve(
        self, query: str, k: int = 10, filters: Mapping[str, Any] | None = None
    ) -> list[ScoredChunk]: ...
