"""Embed queries before a connection is taken: a service may be slow, and other requests need the connections."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pgbraid._threads import in_thread
from pgbraid.errors import EmbeddingError
from pgbraid.text_vectors import query_vector
from pgbraid_tools.workbench.requests import SearchRequest

if TYPE_CHECKING:
    from pgbraid.async_client import AsyncClient
    from pgbraid.embedders.protocol import Embedder, Vectors
    from pgbraid.vectors import VectorLike

__all__ = ["Failed", "embedded"]


class Failed:
    """Stand in for an embedder that failed, so that the following search does not call it again."""

    def __init__(self, embedder: Embedder, error: EmbeddingError) -> None:
        self.model_name = embedder.model_name
        self.dimensions = embedder.dimensions
        self._error = error

    def embed_documents(self, texts: list[str]) -> Vectors | Sequence[VectorLike]:
        raise self._error

    def embed_query(self, text: str) -> VectorLike:
        raise self._error

    def take_the_place(self, client: AsyncClient) -> None:
        client._spaces._embedders = [self]


async def embedded(client: AsyncClient, body: Mapping[str, Any]) -> Callable[[], Awaitable[Failed | None]]:
    """Return a function that embeds the query of a search, to be called after the client is given back.

    The process caches the vector for the search that follows.
    """
    from pgbraid.async_client.queries import ask_for_vector

    request = SearchRequest.from_json({name: value for name, value in body.items() if name != "external_id"})
    asked = None
    if request.mode != "full_text" and request.query:
        query = request.query
        if request.timeframe is not None and request.timeframe.lower() == "auto":
            query, _ = await client.extract_timeframe(query)
        try:
            asked = await ask_for_vector(client, query, request.collection, request.options) if query else None
        except EmbeddingError:
            # The search reports the error.
            asked = None

    async def embed() -> Failed | None:
        if asked is None or asked.known is not None:
            return None
        try:
            await in_thread(query_vector, asked.embedder, asked.text)
        except EmbeddingError as error:
            return Failed(asked.embedder, error)
        return None

    return embed
