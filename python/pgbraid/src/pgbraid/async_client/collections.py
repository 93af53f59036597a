"""Collections and their settings, which are for all tenants."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pgbraid.async_client.base import BaseClient


async def set_query_embeddings(client: BaseClient, collection: str, embedding_count: int = 1000) -> None:
    """Have the database store the vectors of queries for each tenant, at most so many; 0: none. A search stores what it
    has embedded, and other clients, or a search in SQL of text alone, use it. For administrators. Maps to
    braid.set_query_embeddings.

    Raises InvalidArgumentError, NotFoundError.
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
