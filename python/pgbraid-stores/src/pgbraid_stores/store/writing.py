# Generated from async_store/writing.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Write documents and embed them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from pgbraid.errors import DimensionMismatchError, EmbeddingError, NotFoundError

if TYPE_CHECKING:
    from pgbraid.client import Client
    from pgbraid.stored import WriteSummary
    from pgbraid_stores.embedders import EmbeddingModel

__all__ = ["embed_waiting", "write"]


def write(
    client: Client,
    records: Sequence[Mapping[str, Any]],
    collection: str,
    model: EmbeddingModel | None,
    on_error: Literal["raise", "skip"] = "raise",
) -> WriteSummary:
    """Write documents; create the collection for the model if it does not exist. With `on_error="skip"`, issue a
    UserWarning for each document left out."""
    try:
        written = client.add_documents(records, collection=collection, on_error=on_error)
    except NotFoundError:
        if model is None:
            raise
        dimensions = _dimensions_of(model)
        client.create_collection(collection, dimensions=dimensions, embedding_model=model.model_name)
        written = client.add_documents(records, collection=collection, on_error=on_error)
    for failed in written.failed:
        warnings.warn(f"documents[{failed.index}] was left out: {failed.message}", stacklevel=4)
    return written


def embed_waiting(client: Client, collection: str) -> int:
    """Embed the pending chunks, and return their number.

    If the embedder fails, or returns vectors of other dimensions, issue a UserWarning and leave the chunks pending. An
    error would be wrong: the documents are stored, and writing them again could store copies.
    """
    try:
        return client.embed_pending(collection)
    except (DimensionMismatchError, EmbeddingError) as error:
        warnings.warn(
            f'documents of collection "{collection}" are stored, but wait for their embeddings: '
            f"{error.message}; only full-text search finds these documents; embed them with embed_pending() or"
            " `pgbraid work`",
            stacklevel=3,
        )
        return 0


def _dimensions_of(model: EmbeddingModel) -> int:
    """Return the dimensions of a model, which may have to ask its service."""
    return model.dimensions
