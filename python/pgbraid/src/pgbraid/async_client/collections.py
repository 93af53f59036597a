"""Change settings of collections, which all tenants share."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pgbraid.async_client.base import BaseClient


async def set_query_embeddings(client: BaseClient, collection: str, embedding_count: int = 1000) -> None:
    """Make the database store vectors of queries, at most `embedding_count` per tenant; 0 stores none. A search stores
    the vector that it has embedded; other clients, and searches in SQL with text alone, use it. Only administrators may
    call this. Maps to braid.set_query_embeddings.

    Raise InvalidArgumentError, NotFoundError.
    """
    client._spaces.forget(collection)
    client._spaces.not_storing.clear()
    client._spaces.stored.clear()
    await client._session.value_for_all(
        "set_query_embeddings",
        "collection => %(collection)s::text, embedding_count => %(embedding_count)s::int",
        collection=collection,
        embedding_count=embedding_count,
    )
