"""Hybrid search inside PostgreSQL: BM25 full text, pgvector and their fusion, as SQL functions."""

# Made by tools/generate.py. DO NOT CHANGE.
# fmt: off
# ruff: noqa: I001
from __future__ import annotations

from typing import TYPE_CHECKING

from pgbraid._lazy import lazy_names
from pgbraid._version import __version__

if TYPE_CHECKING:
    from pgbraid.async_client import AsyncClient, connect_async
    from pgbraid.client import Client, connect
    from pgbraid.contexts import Context, Passage
    from pgbraid.embedders import AdaptedEmbedder, Embedder, HttpEmbedder, LocalEmbedder, OpenAIEmbedder
    from pgbraid.errors import PgbraidError
    from pgbraid.explanation import Explanation, ScorePart
    from pgbraid.reranker import Reranker
    from pgbraid.results import SearchResult, SearchResults
    from pgbraid.retrieval import AsyncRetriever, Retriever, ScoredChunk
    from pgbraid.search_options import SearchOptions
    from pgbraid.stored import (
        Completion, Document, DocumentChunk, EmbeddingBacklog, FacetValue, IndexProblem, LearnedProfile, ListedDocument,
        ListedProfile, Profile, WriteSummary,
    )
    from pgbraid.streams import RankChanges, StreamedResults
    from pgbraid.timelines import Timeline, TimelineTurn

__all__ = [
    "AdaptedEmbedder", "AsyncClient", "AsyncRetriever", "Client", "Completion", "Context", "Document", "DocumentChunk",
    "Embedder", "EmbeddingBacklog", "Explanation", "FacetValue", "HttpEmbedder", "IndexProblem", "LearnedProfile",
    "ListedDocument", "ListedProfile", "LocalEmbedder", "OpenAIEmbedder", "Passage", "PgbraidError", "Profile",
    "RankChanges", "Reranker", "Retriever", "ScorePart", "ScoredChunk", "SearchOptions", "SearchResult",
    "SearchResults", "StreamedResults", "Timeline", "TimelineTurn", "WriteSummary", "__version__", "connect",
    "connect_async",
]

# A search starts cold, and most commands need none of them.
__getattr__, __dir__ = lazy_names(__name__, {
    "async_client": "AsyncClient connect_async",
    "client": "Client connect",
    "contexts": "Context Passage",
    "embedders": "AdaptedEmbedder Embedder HttpEmbedder LocalEmbedder OpenAIEmbedder",
    "errors": "PgbraidError",
    "explanation": "Explanation ScorePart",
    "reranker": "Reranker",
    "results": "SearchResult SearchResults",
    "retrieval": "AsyncRetriever Retriever ScoredChunk",
    "search_options": "SearchOptions",
    "stored": "Completion Document DocumentChunk EmbeddingBacklog FacetValue IndexProblem "
        "LearnedProfile ListedDocument ListedProfile Profile WriteSummary",
    "streams": "RankChanges StreamedResults",
    "timelines": "Timeline TimelineTurn",
})
