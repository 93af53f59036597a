# Generated from async_client/query_embeddings.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Look up stored vectors of queries before embedding, and store new ones after the search."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from psycopg.pq import TransactionStatus

from pgbraid.errors import PermissionDeniedError, PgbraidError
from pgbraid.vectors import to_vector

if TYPE_CHECKING:
    from pgvector import Vector

    from pgbraid.client.base import BaseClient
    from pgbraid.spaces import VectorSpace

# The database stores no vector of a longer text.
MOST_BYTES = 16384
# SQLSTATEs after which the client stops storing vectors: the transaction is read-only (25006), or the collection stores
# no query vectors (22023).
LASTING = {"25006", "22023"}
# Seconds after which a vector is stored again, so that it counts as used. A client remembers MOST_TEXTS texts.
SECONDS = 3600
MOST_TEXTS = 1000


def stored_vector(
    client: BaseClient, text: str, known: Vector | None, collection: str, space: VectorSpace
) -> tuple[Vector | None, bool]:
    """Return the stored vector of a text, if any, and whether to store it after the search; a vector in use is
    stored again from time to time. A vector that this process has made (`known`) needs no look into the database."""
    if len(text.encode("utf-8", "surrogatepass")) > MOST_BYTES:
        return known, False
    if known is None:
        (stored,) = client._session.json(
            "get_query_embedding",
            "embedded_text => %(text)s::text, collection => %(collection)s::text",
            text=text,
            collection=collection,
        )
        # Anyone who may write to the tenant may have stored it, so it serves this search alone. The process must not
        # cache it
        # for other tenants and databases.
        known = None if stored is None else to_vector(stored, "the query")
        if known is not None and known.dimensions() != space.dimensions:  # the model has changed since
            known = None
    at = client._spaces.stored.get((client.tenant, collection, space.model, text))
    return known, at is None or time.monotonic() - at > SECONDS


def static_vector(client: BaseClient, text: str, collection: str) -> Vector | None:
    """Return the vector that the database makes of a text, for a semantic search; other searches send the text. Return
    None for a collection without a static embedder, and for a text without a known word."""
    space = (client._spaces.of(collection))[0]
    if not space.is_static:
        return None
    (found,) = client._session.json(
        "embed_text", "content => %(text)s::text, embedder => %(model)s::text", text=text, model=space.model
    )
    return None if found is None else to_vector(found, "the query")


def stored_after(
    client: BaseClient,
    text: str | None,
    vector: Vector | None,
    collection: str,
    model: str | None,
    found: list[Any],
    warnings: list[dict[str, Any]],
) -> list[dict[str, Any]]:
    """Store the vector of a searched text, if any. Return the warnings, without `embedding_unavailable` if the database
    knew the vector that the embedder could not make. A static embedder's vector is not that vector, and is named."""
    if text is not None and vector is not None and model is not None:
        _store(client, text, vector, collection, model)
    source = found[0].get("stats", {}).get("query_embedding") if found and isinstance(found[0], dict) else None
    if source == "static":
        for warning in warnings:
            warning["message"] = warning["message"].replace("by full text only", "with the static embedder instead")
        return warnings
    return [warning for warning in warnings if source is None or warning["code"] != "embedding_unavailable"]


def _store(client: BaseClient, text: str, vector: Vector, collection: str, model: str) -> None:
    """Store a vector if possible; the search does not depend on it. Skip it after a lasting failure, such as a login
    that only reads, and inside the caller's transaction."""
    idle = client.connection.info.transaction_status == TransactionStatus.IDLE
    known = client._spaces
    if not idle or (client.tenant, collection, model) in known.not_storing:
        return
    try:
        stored = client._session.value(
            "store_query_embedding",
            """
            embedded_text => %(text)s::text, embedding => %(vector)b, collection => %(collection)s::text,
            embedding_model => %(model)s::text
            """,
            text=text,
            vector=vector,
            collection=collection,
            model=model,
        )
    except PgbraidError as error:
        if isinstance(error, PermissionDeniedError) or error.sqlstate in LASTING:
            known.not_storing.add((client.tenant, collection, model))
    else:
        if stored:
            known.stored.pop((client.tenant, collection, model, text), None)
            known.stored[client.tenant, collection, model, text] = time.monotonic()
            if len(known.stored) > MOST_TEXTS:
                del known.stored[next(iter(known.stored))]
