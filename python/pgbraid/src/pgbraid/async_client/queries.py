"""Embed a query for the collection's model and search; repeat both if the model changes meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from pgbraid._threads import in_thread
from pgbraid.arguments import Mode, check_mode, check_query, optional_json
from pgbraid.errors import DimensionMismatchError, EmbeddingError, InvalidArgumentError, OtherModelError
from pgbraid.query_text import is_plain
from pgbraid.spaces import other_model
from pgbraid.text_vectors import known_vector, query_vector
from pgbraid.vectors import to_vector

if TYPE_CHECKING:
    from pgvector import Vector

    from pgbraid.async_client.base import BaseClient
    from pgbraid.embedders.protocol import Embedder
    from pgbraid.spaces import VectorSpace
    from pgbraid.vectors import VectorLike

# Arguments that all functions that search and rank have in common.
RANKING = """
query_embedding => %(vector)s, filters => %(filters)s::jsonb, collection => %(collection)s::text,
full_text_weight => %(full_text_weight)s::float8, semantic_weight => %(semantic_weight)s::float8,
fusion => %(fusion)s::text, rrf_k => %(rrf_k)s::float8, candidate_count => %(candidate_count)s::int,
min_score => %(min_score)s::float8, match => %(match)s::text, options => %(options)s::jsonb"""


def ranked(
    filters: Mapping[str, Any] | None, full_text_weight: float | None, semantic_weight: float | None,
    fusion: str | None, rrf_k: float | None, candidate_count: int | None, min_score: float | None, match: str,
) -> dict[str, Any]:  # fmt: skip
    """Return the parameters of RANKING that searches take as arguments."""
    return {
        "filters": optional_json(filters, "filters"), "full_text_weight": full_text_weight,
        "semantic_weight": semantic_weight, "fusion": fusion, "rrf_k": rrf_k, "candidate_count": candidate_count,
        "min_score": min_score, "match": match,
    }  # fmt: skip


class VectorRequest(NamedTuple):
    """Hold a query's text to be embedded, its embedder and its model."""

    text: str
    embedder: Embedder
    space: VectorSpace
    # The query's vector, if the process or the database has it already.
    known: Vector | None
    # True if the vector is to be stored after the search.
    is_unstored: bool
    # The warning if the embedder has another model.
    message: str | None


async def searched(
    client: BaseClient,
    ask: Callable[..., Any],
    function: str,
    arguments: str,
    query: str | None,
    mode: Mode,
    collection: str,
    embedding: VectorLike | None,
    options: Mapping[str, Any] | None,
    late_interaction: bool | Mapping[str, Any] | None = False,
    embed: Callable[..., Any] | None = None,
    /,
    **parameters: Any,
) -> tuple[list[Any], list[dict[str, Any]]]:
    """Call a function that searches by `ask`, a method of the session; return its rows, and warnings from embedding the
    query. `embed` replaces `embed_query`."""
    check_mode(mode)
    check_query(query)
    while True:
        warnings: list[dict[str, Any]] = []
        vector: Vector | None = None
        given = options
        if late_interaction is not None and late_interaction is not False:
            from pgbraid.async_client.token_vectors import with_late_interaction

            text = await embedded_text(client, query or "", collection, options)
            given, warnings = await with_late_interaction(client, text, collection, options, late_interaction)
        sent = given
        model = unstored = None
        if mode == "full_text":
            # With a greater weight, the database would use a stored vector of the query.
            parameters["semantic_weight"] = 0.0
        elif embedding is not None:
            vector = to_vector(embedding, "the query")
            await client._spaces.check_dimensions(vector.dimensions(), collection)
        elif query:
            try:
                vector, model, unstored = await (embed or embed_query)(client, query, collection, options, warnings)
                if vector is None and mode == "semantic":
                    from pgbraid.async_client.query_embeddings import static_vector

                    text = await embedded_text(client, query, collection, options)
                    vector = await static_vector(client, text, collection)
                # The database refuses this vector if the collection has since switched to another model.
                sent = {"embedding_model": model, **(given or {})} if isinstance(given or {}, Mapping) else given
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
            found = await ask(
                function,
                arguments,
                **parameters,
                query=None if mode == "semantic" else query,
                vector=vector,
                collection=collection,
                options=optional_json(sent, "options"),
            )
            break
        except InvalidArgumentError:
            if (vector is None and given is options) or not await client._spaces.has_moved(collection):
                raise
    if unstored is not None or warnings:
        from pgbraid.async_client.query_embeddings import stored_after

        warnings = await stored_after(client, unstored, vector, collection, model, found, warnings)
    return found, warnings


async def embed_query(
    client: BaseClient,
    query: str,
    collection: str,
    options: Mapping[str, Any] | None,
    warnings: list[dict[str, Any]],
) -> tuple[Vector | None, str | None, str | None]:
    """Return the query's vector, the collection's model that made it, and the text if the vector is to be stored."""
    asked = await ask_for_vector(client, query, collection, options)
    if asked is None:
        return None, None, None
    vector = asked.known
    if vector is None:
        vector = await in_thread(query_vector, asked.embedder, asked.text)
    return await check_vector(client, asked, vector, collection, warnings)


async def embedded_text(
    client: BaseClient, query: str, collection: str = "default", options: Mapping[str, Any] | None = None
) -> str:
    """Return the part of a query to be embedded: its words, without operators and excluded words. Maps to
    braid.embedded_text, which is not called for a text without operators.

    Raise InvalidArgumentError, NotFoundError.
    """
    check_query(query)
    # The search itself refuses invalid options.
    given = options if isinstance(options, Mapping) else {}
    if given.get("operators") is False or is_plain(query):
        return query
    # Other options do not matter here, and may be long.
    relevant = {name: given[name] for name in ("operators", "language") if name in given}
    text: str = await client._session.value(
        "embedded_text",
        """
        query_text => %(query)s::text, options => %(options)s::jsonb, collection => %(collection)s::text
        """,
        query=query,
        options=optional_json(relevant or None, "options"),
        collection=collection,
    )
    return text


async def ask_for_vector(
    client: BaseClient, query: str, collection: str, options: Mapping[str, Any] | None
) -> VectorRequest | None:
    """Return a query's text to embed, its embedder, and its vector if known; None if nothing is to be embedded."""
    text = await embedded_text(client, query, collection, options)
    space = (await client._spaces.of(collection))[0]
    if space.is_static or not text.strip():
        return None
    embedder = await client._spaces.embedder_of(collection)
    message = other_model(embedder, space, collection)
    known = known_vector(embedder, text)
    is_unstored = False
    if space.stores_queries and message is None:
        from pgbraid.async_client.query_embeddings import stored_vector

        known, is_unstored = await stored_vector(client, text, known, collection, space)
    return VectorRequest(text, embedder, space, known, is_unstored, message)


async def check_vector(
    client: BaseClient, asked: VectorRequest, vector: Vector, collection: str, warnings: list[dict[str, Any]]
) -> tuple[Vector, str, str | None]:
    """Check the vector made for `asked`; return as `embed_query` does. Raise OtherModelError for another length."""
    try:
        await client._spaces.check_dimensions(vector.dimensions(), collection)
    except DimensionMismatchError as error:
        model = (await client._spaces.of(collection))[0].model
        raise OtherModelError(
            f"the embedder {asked.embedder.model_name} is of another model than the collection: {error.message}",
            hint=f"connect with an embedder for {model}",
            sqlstate=error.sqlstate,
        ) from error
    if asked.message:
        warnings.append({"code": "other_embedding_model", "message": asked.message})
    return vector, asked.space.model, asked.text if asked.is_unstored else None
