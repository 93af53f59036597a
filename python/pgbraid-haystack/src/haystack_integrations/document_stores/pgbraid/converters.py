"""Convert Haystack's documents to documents of pgbraid, chunks to Haystack's documents, and its embedders to one of
pgbraid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from haystack import Document
from haystack.dataclasses import ByteStream, SparseEmbedding

from pgbraid.embedders.protocol import Embedder
from pgbraid.errors import InvalidArgumentError
from pgbraid_stores.embedders import FrameworkEmbedder, model_name_of
from pgbraid_stores.records import Passage, record

__all__ = ["KEY", "document_of", "embedder_of", "record_of"]

KEY = "_haystack"


def record_of(document: Document) -> dict[str, Any]:
    meta = document.meta
    own: dict[str, Any] = {"has_content": document.content is not None}
    if document.blob is not None:
        own["blob"] = document.blob.to_dict()
    if document.sparse_embedding is not None:
        own["sparse_embedding"] = document.sparse_embedding.to_dict()
    return record(
        document.id, document.content or "", meta, key=KEY, own=own,
        title=meta.get("title") or meta.get("file_name"),
        source=meta.get("source") or meta.get("file_path") or meta.get("url"), embedding=document.embedding,
    )  # fmt: skip


def document_of(passage: Passage) -> Document:
    own = passage.own or {}
    blob, sparse = own.get("blob"), own.get("sparse_embedding")
    return Document(
        id=passage.id,
        content=passage.text if own.get("has_content", True) else None,
        blob=None if blob is None else ByteStream.from_dict(blob),
        meta=passage.metadata,
        score=passage.score,
        sparse_embedding=None if sparse is None else SparseEmbedding.from_dict(sparse),
    )


def embedder_of(text_embedder: Any, document_embedder: Any, model_name: str | None) -> Embedder | None:
    """Make an embedder from a component for queries and one for documents. If the second is None, the first embeds
    documents one by one."""
    if text_embedder is None:
        if document_embedder is not None:
            raise InvalidArgumentError(
                "there is a document_embedder and no text_embedder",
                hint="give a text_embedder of the same model, for queries",
            )
        return None
    if not hasattr(text_embedder, "run"):
        embedder: Embedder = text_embedder
        return embedder
    warmed: set[int] = set()

    def ready(component: Any) -> Any:
        if id(component) not in warmed and hasattr(component, "warm_up"):
            component.warm_up()
        warmed.add(id(component))
        return component

    def query(text: str) -> list[float]:
        vector: list[float] = ready(text_embedder).run(text=text)["embedding"]
        return vector

    def documents(texts: list[str]) -> Sequence[list[float]]:
        if document_embedder is None:
            return [query(text) for text in texts]
        embedded = ready(document_embedder).run(documents=[Document(content=text) for text in texts])["documents"]
        return [document.embedding for document in embedded]

    return FrameworkEmbedder(model_name or model_name_of(text_embedder), documents, query)
