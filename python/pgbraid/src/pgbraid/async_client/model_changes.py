"""Moving a collection to another embedding model while searches go on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pgbraid.async_client.base import BaseClient

__all__ = [
    "cut_over_model_migration",
    "finish_model_migration",
    "pause_model_migration",
    "resume_model_migration",
    "roll_back_model_migration",
    "start_model_migration",
]


async def start_model_migration(
    client: BaseClient,
    collection: str,
    embedding_model: str,
    dimensions: int,
    *,
    distance: Literal["cosine", "inner_product", "l2"] | None = None,
    vector_storage: Literal["vector", "halfvec", "binary"] | None = None,
) -> None:
    """Begin to move a collection to another embedding model, for all tenants; for administrators. Maps to
    braid.start_model_migration.

    Searches use the old model until `cut_over_model_migration`. Meanwhile `maintain` puts the chunks that are there
    into the outbox, and `embed_pending` of clients with an embedder for the new model embeds them. `status` says
    how far it is. Distance and storage are the collection's if not given.

    Raises InvalidArgumentError, NotFoundError.
    """
    await client._session.value_for_all(
        "start_model_migration",
        """
        collection => %(collection)s::text, embedding_model => %(embedding_model)s::text,
        dimensions => %(dimensions)s::int, distance => %(distance)s::text,
        vector_storage => %(vector_storage)s::text
        """,
        collection=collection,
        embedding_model=embedding_model,
        dimensions=dimensions,
        distance=distance,
        vector_storage=vector_storage,
    )
    client._spaces.forget(collection)


async def pause_model_migration(client: BaseClient, collection: str) -> None:
    """Hand out nothing for the new model until `resume_model_migration`; for administrators. Maps to
    braid.pause_model_migration.

    Raises NotFoundError, and InvalidArgumentError if the collection is not being moved, or not so far.
    """
    await _step(client, "pause", collection)


async def resume_model_migration(client: BaseClient, collection: str) -> None:
    """Go on with a paused model change; for administrators. Maps to braid.resume_model_migration.

    Raises NotFoundError, and InvalidArgumentError if the collection is not being moved, or not so far.
    """
    await _step(client, "resume", collection)


async def cut_over_model_migration(client: BaseClient, collection: str) -> None:
    """Make searches use the new model; for administrators. Maps to braid.cut_over_model_migration.

    Raises InvalidArgumentError, which says how many chunks still wait for an embedding of the new model.
    """
    await _step(client, "cut_over", collection)


async def roll_back_model_migration(client: BaseClient, collection: str) -> None:
    """End a model change with the old model, before the cut-over or after it; for administrators. Maps to
    braid.roll_back_model_migration.

    Raises NotFoundError, and InvalidArgumentError if the collection is not being moved, or not so far.
    """
    await _step(client, "roll_back", collection)


async def finish_model_migration(client: BaseClient, collection: str) -> None:
    """End a model change with the new model, after the cut-over; for administrators. Maps to
    braid.finish_model_migration.

    Raises NotFoundError, and InvalidArgumentError if the collection is not being moved, or not so far.
    """
    await _step(client, "finish", collection)


async def _step(client: BaseClient, action: str, collection: str) -> None:
    await client._session.value_for_all(
        f"{action}_model_migration", "collection => %(collection)s::text", collection=collection
    )
    client._spaces.forget(collection)
