"""Integrate Haystack: the retrievers of a pgbraid document store."""

from haystack_integrations.components.retrievers.pgbraid.retrievers import (
    PgbraidEmbeddingRetriever,
    PgbraidHybridRetriever,
    PgbraidKeywordRetriever,
)

__all__ = ["PgbraidEmbeddingRetriever", "PgbraidHybridRetriever", "PgbraidKeywordRetriever"]
