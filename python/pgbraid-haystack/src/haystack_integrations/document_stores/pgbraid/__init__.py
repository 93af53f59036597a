"""Integrate Haystack: a document store on a pgbraid collection."""

from haystack_integrations.document_stores.pgbraid.document_store import PgbraidDocumentStore

__all__ = ["PgbraidDocumentStore"]
