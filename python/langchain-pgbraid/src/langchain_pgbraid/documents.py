"""Convert LangChain's documents to documents of pgbraid, chunks to LangChain's documents, and its embeddings to an
embedder."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings

from pgbraid.errors import InvalidArgumentError
from pgbraid_stores.embedders import FrameworkEmbedder, model_name_of
from pgbraid_stores.records import Passage, record

if TYPE_CHECKING:
    from pgbraid.embedders.protocol import Embedder

__all__ = ["KEY", "documents_of", "embedder_of", "indexed_record", "records_of", "relevant", "scored"]

KEY = "_langchain"


def records_of(
    documents: Sequence[Document], *, ids: Sequence[str | None] | None = None, batch_size: int | None = None
) -> list[dict[str, Any]]:
    """Return the records to write. `batch_size`, which `langchain_core.indexing.index` passes, is ignored: the
    client makes its own batches."""
    if ids is not None and len(ids) != len(documents):
        raise InvalidArgumentError(
            f"there are {len(ids)} ids and {len(documents)} documents", hint="give one id for each document, or no ids"
        )
    given = [document.id for document in documents] if ids is None else ids
    return [
        _record_of(document, external_id or str(uuid.uuid4()), {})
        for document, external_id in zip(documents, given, strict=True)
    ]


def _record_of(document: Document, external_id: str, own: Mapping[str, Any]) -> dict[str, Any]:
    metadata = document.metadata
    return record(
        external_id, document.page_content, metadata, key=KEY, own=own, title=metadata.get("title"),
        source=metadata.get("source"),
    )  # fmt: skip


def indexed_record(document: Document, source_id_key: str | Callable[[Document], str]) -> dict[str, Any]:
    source = source_id_key(document) if callable(source_id_key) else document.metadata.get(source_id_key)
    own = {"indexed": True, "source": None if source is None else str(source)}
    return _record_of(document, document.id or "", own)


def documents_of(passages: Iterable[Passage]) -> list[Document]:
    return [Document(passage.text, id=passage.id, metadata=passage.metadata) for passage in passages]


def scored(passages: Sequence[Passage]) -> list[tuple[Document, float]]:
    return list(zip(documents_of(passages), [passage.score or 0.0 for passage in passages], strict=True))


def relevant(passages: Sequence[Passage]) -> list[tuple[Document, float]]:
    """Return documents with their scores clamped to 0 to 1."""
    return [(document, min(max(score, 0.0), 1.0)) for document, score in scored(passages)]


def embedder_of(embedding: Embeddings | Embedder | None, model_name: str | None) -> Embedder | None:
    if not isinstance(embedding, Embeddings):
        return embedding
    return FrameworkEmbedder(model_name or model_name_of(embedding), embedding.embed_documents, embedding.embed_query)
