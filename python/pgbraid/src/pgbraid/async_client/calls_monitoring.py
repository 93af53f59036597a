"""Calls of monitoring. Made by tools/client_calls.py. DO NOT CHANGE."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from pgbraid.stored import EmbeddingUsage

if TYPE_CHECKING:
    from pgbraid.async_client.base import BaseClient


async def embedding_usage(client: BaseClient, since: date | None = None) -> list[EmbeddingUsage]:
    """Show what workers had embedding services do: a row for each tenant, model and day (UTC).

    since: the first day; null, as by default: all that there are. Days are kept for 400 days; maintain deletes older
    ones. token_count: tokens that were embedded; estimated_token_count: those of them that the service did not tell,
    taken as a quarter of the characters. cost: by pgbraid work --price-per-million; null if no price was given. For
    services and administrators.

    Maps to braid.embedding_usage. Raise PermissionDeniedError.
    """
    found = await client._session.records("embedding_usage", "since => %(since)s::date", since=since)
    return [EmbeddingUsage(*row) for row in found]
