"""Vectors of queries that the database stores: looked up before a text is embedded, stored after the search."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from psycopg.pq import TransactionStatus

from pgbraid.errors import PermissionDeniedError, PgbraidError
from pgbraid.vectors import to_vector

if TYPE_CHECKING:
    from pgvector import Vector

    from pgbraid.async_client.base import BaseClient
    from pgbraid.spaces import VectorSpace

# The database stores none of a longer text.
MOST_BYTES = 16384
# Read-only transactions, and what the collection refuses, as when it stores no vectors any more.
LASTING = {"25006", "22023"}
# How often a vector is stored again, so that it counts as used, and of how many texts a client knows when it was.
SECONDS = 3600
MOST_TEXTS = 1000


async def stored_vector(
    client: BaseClient, text: str, known: Vector | None, collection: str, space: VectorSpace
) -> tuple[Vector | None, bool]:
    """The vector of a text, if it is stored, and whether it is to be stored after the search: also if it was, as it is
    in use again. What the embedder has made in this process (`known`) needs no look into the database."""
    if len(text.encode("utf-8", "surrogatepass")) > MOST_BYTES:
        return known, False
    if known is None:
        (stored,) = await client._session.json(
            "get_query_embedding",
            "embedded_text => %(text)s::text, collection => %(collection)s::text",
            text=text,
            collection=collection,
        )
        # Anyone who may write to the tenant can have stored it. So it is for this search alone: kept in the process, it
        # would be taken for other tenants and databases.
        known = None if stored is None else to_vector(stored, "the query")
        if known is not None and known.dimensions() != space.dimensions:  # of another model since
            known = None
    at = client._spaces.stored.get((client.tenant, collection, space.model, text))
    return known, at is None or time.monotonic() - at > SECONDS


async def stored_after(
    client: BaseClient,
    text: str | None,
    vector: Vector | None,
    collection: str,
    model: str | None,
    found: list[Any],
    warnings: list[dict[str, Any]],
) -> list[dict[str, Any]]:
    """Store the vector of a text that was searched for, if there is one. The warnings, but for one that the database
    has made untrue: it knew the vector that the embedder could not give."""
    if text is not None and vector is not None and model is not None:
        await _store(client, text, vector, collection, model)
    if found and isinstance(found[0], dict) and "query_embedding" in found[0].get("stats", ()):
        return [warning for warning in warnings if warning["code"] != "embedding_unavailable"]
    return warnings


async def _store(client: BaseClient, text: str, vector: Vector, collection: str, model: str) -> None:
    """Nothing depends on it: what fails for good, such as a login that only reads, is not tried again, and in a
    transaction of the caller's nothing is tried."""
    idle = client.connection.info.transaction_status == TransactionStatus.IDLE
    known = client._spaces
    if not idle or (client.tenant, collection, model) in known.not_storing:
        return
    try:
        stored = await client._session.value(
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
