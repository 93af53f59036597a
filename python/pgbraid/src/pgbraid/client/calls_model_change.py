# Generated from async_client/calls_model_change.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Calls of model change. Made by tools/client_calls.py. DO NOT CHANGE."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pgbraid.client.base import BaseClient


def start_model_change(
    client: BaseClient,
    collection: str,
    embedding_model: str,
    dimensions: int,
    *,
    distance: Literal["cosine", "inner_product", "l2"] | None = None,
    vector_storage: Literal["vector", "halfvec", "binary"] | None = None,
) -> None:
    """Begin to move a collection to another embedding model, for all tenants, while searches and writes go on.

    embedding_model, dimensions: the new model and its dimensions. distance: cosine, inner_product or l2; null keeps
    the collection's. vector_storage: vector, halfvec or binary; null keeps the collection's, if it can be indexed at
    these dimensions. From now on, new chunks wait for an embedding of each model, and maintain() puts older chunks
    into the outbox. Workers of the new model name it in claim_embedding_jobs and store_embeddings. Searches use the
    old model until cut_over_model_change. See progress in braid.model_changes and braid.status. Only administrators
    may call it.

    Maps to braid.start_model_change. Raise InvalidArgumentError, NotFoundError.
    """
    client._session.value_for_all(
        "start_model_change",
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


def pause_model_change(client: BaseClient, collection: str) -> None:
    """Pause a model change before its cut-over: until resume_model_change, workers get no more jobs for the new model,
    and maintain() adds none.

    Chunks written in the meantime still wait for a vector of both models. Only administrators may call it.

    Maps to braid.pause_model_change. Raise NotFoundError, and InvalidArgumentError if the collection has no model
    change, or one in another stage.
    """
    client._session.value_for_all(
        "pause_model_change", "collection => %(collection)s::text", collection=collection
    )
    client._spaces.forget(collection)


def resume_model_change(client: BaseClient, collection: str) -> None:
    """Continue a paused model change.

    Only administrators may call it.

    Maps to braid.resume_model_change. Raise NotFoundError, and InvalidArgumentError if the collection has no model
    change, or one in another stage.
    """
    client._session.value_for_all(
        "resume_model_change", "collection => %(collection)s::text", collection=collection
    )
    client._spaces.forget(collection)


def cut_over_model_change(client: BaseClient, collection: str) -> None:
    """Make searches use the new embedding model of a model change, from the next statement on.

    Raise 22023 unless every chunk with a vector of the old model has one of the new model. Writes still go to both
    models, so roll_back_model_change loses nothing. The call waits a few seconds for writers, then raises 55P03. Only
    administrators may call it.

    Maps to braid.cut_over_model_change. Raise InvalidArgumentError, which says how many chunks still wait for an
    embedding by the new model.
    """
    client._session.value_for_all(
        "cut_over_model_change", "collection => %(collection)s::text", collection=collection
    )
    client._spaces.forget(collection)


def roll_back_model_change(client: BaseClient, collection: str) -> None:
    """End a model change with the old model, before or after the cut-over.

    Searches use the old model from their next statement on. maintain() deletes the vectors of the new model; a change
    that starts before that uses the vectors left. Only administrators may call it.

    Maps to braid.roll_back_model_change. Raise NotFoundError, and InvalidArgumentError if the collection has no model
    change, or one in another stage.
    """
    client._session.value_for_all(
        "roll_back_model_change", "collection => %(collection)s::text", collection=collection
    )
    client._spaces.forget(collection)


def finish_model_change(client: BaseClient, collection: str) -> None:
    """End a model change with the new model, after cut_over_model_change.

    From then on it cannot be rolled back. maintain() deletes the vectors of the old model. Only administrators may
    call it.

    Maps to braid.finish_model_change. Raise NotFoundError, and InvalidArgumentError if the collection has no model
    change, or one in another stage.
    """
    client._session.value_for_all(
        "finish_model_change", "collection => %(collection)s::text", collection=collection
    )
    client._spaces.forget(collection)
