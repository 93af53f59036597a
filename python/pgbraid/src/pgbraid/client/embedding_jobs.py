# Generated from async_client/embedding_jobs.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Chunks that wait for their embedding, and what embedding has cost."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, Literal

from pgbraid.stored import EmbeddingBacklog, EmbeddingJob, EmbeddingUsage

if TYPE_CHECKING:
    from pgbraid.client.base import BaseClient

__all__ = [
    "drop_embedding_jobs",
    "embedding_backlog",
    "embedding_usage",
    "list_embedding_jobs",
    "retry_embedding_jobs",
]


def embedding_backlog(client: BaseClient) -> list[EmbeddingBacklog]:
    """Where chunks wait for their embedding, of all tenants, by tenant, collection and model; empty if none does. For
    services and administrators. Maps to braid.embedding_backlog.

    Raises PermissionDeniedError.
    """
    rows = client._session.rows("embedding_backlog", "select * from braid.embedding_backlog()")
    return [EmbeddingBacklog(*row) for row in rows]


def list_embedding_jobs(
    client: BaseClient,
    state: Literal["waiting", "claimed", "paused", "abandoned"] | None = None,
    limit: int = 100,
    collection: str = "default",
    *,
    after: int = 0,
    embedding_model: str | None = None,
) -> list[EmbeddingJob]:
    """Chunks that wait for their embedding, by chunk_id; `after` is the last chunk_id of the page before. Those that
    are abandoned no worker tries again. Maps to braid.list_embedding_jobs.

    Raises NotFoundError, InvalidArgumentError, PermissionDeniedError.
    """
    rows = client._session.json_rows(
        "list_embedding_jobs",
        """
        with_state => %(state)s, job_count => %(limit)s::int, after_chunk_id => %(after)s::bigint,
        collection => %(collection)s, embedding_model => %(model)s
        """,
        state=state,
        limit=limit,
        after=after,
        collection=collection,
        model=embedding_model,
    )
    return [EmbeddingJob.from_row(row) for row in rows]


def retry_embedding_jobs(
    client: BaseClient,
    chunk_ids: Sequence[int] | None = None,
    collection: str = "default",
    *,
    embedding_model: str | None = None,
) -> int:
    """Let workers try chunks again at once, by default all that have failed; how many. Maps to
    braid.retry_embedding_jobs.

    Raises NotFoundError, InvalidArgumentError, PermissionDeniedError.
    """
    return _change_jobs(client, "retry_embedding_jobs", chunk_ids, collection, embedding_model)


def drop_embedding_jobs(
    client: BaseClient,
    chunk_ids: Sequence[int] | None = None,
    collection: str = "default",
    *,
    embedding_model: str | None = None,
) -> int:
    """Leave chunks without an embedding, by default all that were abandoned; how many. Full text finds them. Maps to
    braid.drop_embedding_jobs.

    Raises NotFoundError, InvalidArgumentError, PermissionDeniedError.
    """
    return _change_jobs(client, "drop_embedding_jobs", chunk_ids, collection, embedding_model)


def embedding_usage(client: BaseClient, since: date | None = None) -> list[EmbeddingUsage]:
    """What workers had embedding services do, of all tenants, by tenant, model and day (UTC), from the day `since`. For
    services and administrators. Maps to braid.embedding_usage.

    Raises PermissionDeniedError.
    """
    rows = client._session.rows(
        "embedding_usage", "select * from braid.embedding_usage(since => %(since)s::date)", since=since
    )
    return [EmbeddingUsage(*row) for row in rows]


def _change_jobs(
    client: BaseClient, function: str, chunk_ids: Sequence[int] | None, collection: str, embedding_model: str | None
) -> int:
    return int(
        client._session.value(
            function,
            """
            chunk_ids => %(chunk_ids)s::bigint[], collection => %(collection)s,
            embedding_model => %(model)s
            """,
            chunk_ids=None if chunk_ids is None else list(chunk_ids),
            collection=collection,
            model=embedding_model,
        )
    )
