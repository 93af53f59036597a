"""Integrate LlamaIndex: a vector store and a retriever on a pgbraid collection."""

from llama_index.vector_stores.pgbraid.base import PgbraidRetriever, PgbraidVectorStore

__all__ = ["PgbraidRetriever", "PgbraidVectorStore"]
