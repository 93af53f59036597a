"""Hybrid search inside PostgreSQL: BM25 full text, pgvector and their fusion, as SQL functions."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from pgbraid._version import __version__

if TYPE_CHECKING:
    from pgbraid.async_client import AsyncClient, connect_async
    from pgbraid.client import Client, connect
    from pgbraid.embedders import Embedder, LocalEmbedder, OpenAIEmbedder, SentenceTransformerEmbedder
    from pgbraid.errors import PgbraidError
    from pgbraid.explanation import Explanation
    from pgbraid.rerankers import (
        CrossEncoderReranker,
        HttpReranker,
        LateInteractionReranker,
        LLMReranker,
        Reranker,
    )
    from pgbraid.results import (
        Context,
        FacetValue,
        IndexProblem,
        Passage,
        ScorePart,
        SearchResult,
        SearchResults,
        Timeline,
        TimelineTurn,
        WriteSummary,
    )

__all__ = [
    "AsyncClient",
    "Client",
    "Context",
    "CrossEncoderReranker",
    "Embedder",
    "Explanation",
    "FacetValue",
    "HttpReranker",
    "IndexProblem",
    "LLMReranker",
    "LateInteractionReranker",
    "LocalEmbedder",
    "OpenAIEmbedder",
    "Passage",
    "PgbraidError",
    "Reranker",
    "ScorePart",
    "SearchResult",
    "SearchResults",
    "SentenceTransformerEmbedder",
    "Timeline",
    "TimelineTurn",
    "WriteSummary",
    "__version__",
    "connect",
    "connect_async",
]

_MODULES = {
    "AsyncClient": "async_client",
    "connect_async": "async_client",
    "Client": "client",
    "connect": "client",
    "Embedder": "embedders",
    "LocalEmbedder": "embedders",
    "OpenAIEmbedder": "embedders",
    "SentenceTransformerEmbedder": "embedders",
    "PgbraidError": "errors",
    "Explanation": "explanation",
    "Context": "results",
    "CrossEncoderReranker": "rerankers",
    "HttpReranker": "rerankers",
    "LLMReranker": "rerankers",
    "LateInteractionReranker": "rerankers",
    "Reranker": "rerankers",
    "FacetValue": "results",
    "IndexProblem": "results",
    "Passage": "results",
    "ScorePart": "results",
    "SearchResult": "results",
    "SearchResults": "results",
    "Timeline": "results",
    "TimelineTurn": "results",
    "WriteSummary": "results",
}


def __getattr__(name: str) -> object:
    # Imported when used: most commands of the command line need none of them, and a search starts cold.
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value
