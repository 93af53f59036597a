# Generated from async_store/writing.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Writing documents, and embedding them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pgbraid.errors import EmbeddingError, NotFoundError

if TYPE_CHECKING:
    from pgbraid.client import Client
    from pgbraid.embedders.protocol import Embedder
    from pgbraid.stored import WriteSummary

__all__ = ["embed_waiting", "write"]


def write(
    client: Client, records: Sequence[Mapping[str, Any]], collection: str, embedder: Embedder | None
) -> WriteSummary:
    """Write documents. A collection that is not there is created for the embedder's model."""
    try:
        return client.add_documents(records, collection=collection)
    except NotFoundError:
        if embedder is None:
            raise
    dimensions, model = _space_of(embedder)
    client.create_collection(collection, dimensions=dimensions, embedding_model=model)
    return client.add_documents(records, collection=collection)


def embed_waiting(client: Client, collection: str) -> int:
    """Embed the chunks that wait, how many were. If the embedder fails, they go on waiting, and a UserWarning says
    so."""
    try:
        return client.embed_pending(collection)
    except EmbeddingError as error:
        warnings.warn(
            f'documents of collection "{collection}" are stored without their embeddings, which they wait for: '
            f"{error.message}; full text finds them; embed them with embed_pending() or `pgbraid work`",
            stacklevel=3,
        )
        return 0


def _space_of(embedder: Embedder) -> tuple[int, str]:
    return embedder.dimensions, embedder.model_name
