"""Integrate LangChain: a vector store and a retriever on a pgbraid collection."""

from langchain_pgbraid.retrievers import PgbraidRetriever
from langchain_pgbraid.vectorstores import PgbraidVectorStore

__all__ = ["PgbraidRetriever", "PgbraidVectorStore"]
