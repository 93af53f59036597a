"""Search by the protocol of retrievers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pgbraid.async_client.searching import search
from pgbraid.retrieval import ScoredChunk

if TYPE_CHECKING:
    from pgbraid.async_client.base import BaseClient


async def retrieve(
    client: BaseClient,
    query: str,
    k: int = 10,
    filters: Mapping[str, Any] | None = None,
    collection: str = "default",
) -> list[ScoredChunk]:
    """Return the `k` best chunks of a hybrid search, as any `pgbraid.Retriever` does. `search` has more arguments and
    returns more about each row.

    Raise InvalidArgumentError, NotFoundError.
    """
    found = await search(client, query, k, filters=filters, collection=collection)
    return [
        ScoredChunk(row.external_id, row.content, row.score, row.chunk_index, row.title, row.metadata) for row in found
    ]
