# Generated from async_client/token_vectors.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Make token vectors for late interaction: store them with chunks, and send them with queries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from pgvector import HalfVector

from pgbraid._part_of import PART_OF
from pgbraid.errors import EmbeddingError, InvalidArgumentError, MissingExtraError, PartNotInstalledError
from pgbraid.pooling import pool_tokens
from pgbraid.text_vectors import embedder_failure

if TYPE_CHECKING:
    from pgbraid.client.base import BaseClient
    from pgbraid.embedders.protocol import Vectors
    from pgbraid.reranker import TokenEmbedder
    from pgbraid.spaces import VectorSpace

# A longer query is pooled to this number of vectors.
QUERY_VECTORS = 64
# Bounds of one call of braid.store_token_vectors.
STORED_CHUNKS = 10_000
STORED_VECTORS = 100_000


def store_token_vectors(
    client: BaseClient,
    collection: str,
    space: VectorSpace,
    embedder: Any,
    chunk_ids: list[int],
    texts: list[str],
) -> int:
    """Embed the tokens of texts, pool and store the vectors; return the number of chunks stored. A text without
    tokens gets none."""
    found = vectors_of_tokens(embedder, texts)
    most = space.token_count or 1
    pooled = [pool_tokens(vectors, most) for vectors in found]
    embedded = [(chunk_id, vectors) for chunk_id, vectors in zip(chunk_ids, pooled, strict=True) if len(vectors)]
    stored = 0
    size = min(STORED_CHUNKS, STORED_VECTORS // most)
    for start in range(0, len(embedded), size):
        batch = embedded[start : start + size]
        stored += int(
            client._session.value(
                "store_token_vectors",
                """
                chunk_ids => %(chunk_ids)s::bigint[], vectors => %(vectors)b, vector_counts => %(counts)s::int[],
                collection => %(collection)s, embedding_model => %(model)s
                """,
                chunk_ids=[chunk_id for chunk_id, _ in batch],
                vectors=[HalfVector(vector) for _, vectors in batch for vector in vectors],
                counts=[len(vectors) for _, vectors in batch],
                collection=collection,
                model=space.token_model,
            )
        )
    return stored


def with_late_interaction(
    client: BaseClient,
    text: str,
    collection: str,
    options: Mapping[str, Any] | None,
    late_interaction: bool | Mapping[str, Any],
) -> tuple[Mapping[str, Any] | None, list[dict[str, Any]]]:
    """Return the options with the query's token vectors, and warnings if they cannot be made."""
    if options and options.get("late_interaction") is not None:
        raise InvalidArgumentError(
            "late_interaction is given twice",
            hint="give late_interaction as an argument, or as an option with vectors of your own",
            sqlstate="22023",
        )
    if not isinstance(late_interaction, (bool, Mapping)):
        raise InvalidArgumentError(
            f"late_interaction is {late_interaction!r}"[:200],
            hint="use True, or a dict with candidates and weight",
            sqlstate="22023",
        )
    if not text.strip():
        raise InvalidArgumentError(
            "late_interaction needs a query",
            hint="give its text, or its token vectors in the option late_interaction",
            sqlstate="22023",
        )
    space = space_with_tokens(client, collection)
    try:
        embedder = embedder_for_tokens(client, collection, space)
        (found,) = vectors_of_tokens(embedder, [text])
    except MissingExtraError:
        client._spaces.forget(collection)
        raise
    except EmbeddingError as error:
        message = "; ".join(filter(None, ("searched without late interaction", error.message, error.hint)))
        return options, [{"code": "late_interaction_unavailable", "message": message}]
    if not len(found):
        return options, []
    given = {} if isinstance(late_interaction, bool) else late_interaction
    vectors = {"vectors": texts_of(pool_tokens(found, QUERY_VECTORS)), "embedding_model": space.token_model}
    return {**(options or {}), "late_interaction": {**vectors, **given}}, []


def vectors_of_tokens(embedder: TokenEmbedder, texts: list[str]) -> list[Vectors]:
    """Return the token vectors of each text. Raise EmbeddingError for any failure of the embedder."""
    try:
        found = [np.asarray(vectors, np.float32) for vectors in embedder.embed_tokens(texts)]
    except EmbeddingError:
        raise
    except Exception as error:
        raise embedder_failure(error) from error
    if len(found) != len(texts):
        raise EmbeddingError(f"the embedder gave token vectors of {len(found)} texts for {len(texts)}")
    for vectors in found:
        if vectors.ndim == 0 or (len(vectors) and vectors.ndim != 2):
            raise EmbeddingError(f"the embedder gave token vectors of shape {vectors.shape}, not (tokens, dimensions)")
        if not np.isfinite(vectors).all():
            raise EmbeddingError("the embedder gave a token vector with a number that is not finite")
    return found


def texts_of(vectors: Vectors) -> list[str]:
    """Return vectors in pgvector's text form, with the digits that half precision holds."""
    return [f"[{','.join(f'{number:.5g}' for number in vector)}]" for vector in vectors.tolist()]


def space_with_tokens(client: BaseClient, collection: str, *, anew: bool = False) -> VectorSpace:
    space = (client._spaces.of(collection, anew=anew))[0]
    if space.token_model is None and not anew:
        space = (client._spaces.of(collection, anew=True))[0]
    if space.token_model is None:
        if PART_OF["set_token_vectors"] not in client._session.parts:
            raise PartNotInstalledError("set_token_vectors", PART_OF["set_token_vectors"])
        raise InvalidArgumentError(
            f'collection "{collection}" has no token vectors',
            hint="have an administrator call set_token_vectors, then store token vectors with embed_token_vectors",
            sqlstate="22023",
        )
    return space


def embedder_for_tokens(client: BaseClient, collection: str, space: VectorSpace) -> TokenEmbedder:
    """Return the client's embedder of the token vectors' model. Raise MissingExtraError if there is none."""
    own = space._replace(model=space.token_model or "")
    for embedder in client._spaces._embedders or filter(None, [client._spaces.embedder_for(own, [own])]):
        if embedder.model_name == space.token_model and hasattr(embedder, "embed_tokens"):
            return cast("TokenEmbedder", embedder)
    raise MissingExtraError(
        f'token vectors of collection "{collection}" need an embedder for {space.token_model} with embed_tokens',
        hint="give an embedder: pgbraid.connect(embedder=…)",
    )
