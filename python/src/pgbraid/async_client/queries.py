"""A query on its way to the database: embedded for the collection's model, again if that changes meanwhile."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pgbraid._threads import in_thread
from pgbraid.arguments import Mode, Vector, optional_json
from pgbraid.async_client.vector_spaces import VectorSpaces
from pgbraid.documents import embedded_text, vector_literal
from pgbraid.errors import EmbeddingError, InvalidArgumentError

__all__ = ["RANKING", "Queries"]

# Arguments that the functions which search and rank have in common.
RANKING = """
query_embedding => %(vector)s, filters => %(filters)s::jsonb, collection => %(collection)s::text,
full_text_weight => %(full_text_weight)s::float8, semantic_weight => %(semantic_weight)s::float8,
fusion => %(fusion)s::text, rrf_k => %(rrf_k)s::float8, candidate_count => %(candidate_count)s::int,
min_score => %(min_score)s::float8, match => %(match)s::text, options => %(options)s::jsonb"""


class Queries(VectorSpaces):
    async def _searched(
        self,
        call: str,
        query: str | None,
        mode: Mode,
        collection: str,
        embedding: Vector | None,
        options: Mapping[str, Any] | None,
        /,
        **parameters: Any,
    ) -> tuple[list[Any], list[dict[str, Any]]]:
        """What a call that searches gives, as `_json` does, and warnings of how the query was embedded for it."""
        if mode not in ("hybrid", "full_text", "semantic"):
            raise InvalidArgumentError(
                f"mode is {mode!r}", hint="use 'hybrid', 'full_text' or 'semantic'", sqlstate="22023"
            )
        while True:
            warnings: list[dict[str, Any]] = []
            vector: str | None = None
            sent = options
            if mode == "full_text":
                pass
            elif embedding is not None:
                vector = vector_literal(embedding, "the query")
                await self._check_dimensions(vector.count(",") + 1, collection)
            elif query:
                try:
                    vector, model = await self._embed_query(query, collection, options)
                    # Refused if the model of searches is another one by then.
                    sent = {"embedding_model": model, **(options or {})}
                except EmbeddingError as error:
                    if mode == "semantic":
                        raise
                    message = "; ".join(filter(None, ("searched by full text only", error.message, error.hint)))
                    warnings.append({"code": "embedding_unavailable", "message": message})
            if mode == "semantic" and vector is None:
                raise InvalidArgumentError(
                    "a semantic search needs a query or an embedding", hint="give one", sqlstate="22023"
                )
            try:
                found = await self._json(
                    call,
                    **parameters,
                    query=None if mode == "semantic" else query,
                    vector=vector,
                    collection=collection,
                    options=optional_json(sent, "options"),
                )
                return found, warnings
            except InvalidArgumentError:
                if vector is None or not await self._has_moved(collection):
                    raise

    async def _embed_query(
        self, query: str, collection: str, options: Mapping[str, Any] | None
    ) -> tuple[str | None, str | None]:
        """The query's vector, and the model of the collection that it is of."""
        text = query if options and options.get("operators") is False else embedded_text(query)
        if not text.strip():
            return None, None
        embedder = await self._embedder_of(collection)
        model = (await self._spaces_of(collection))[0].model
        embedding = await in_thread(embedder.embed_query, text)
        await self._check_dimensions(len(embedding), collection)
        return vector_literal(embedding, "the query"), model
