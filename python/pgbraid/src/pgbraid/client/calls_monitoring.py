# Generated from async_client/calls_monitoring.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Calls of monitoring. Made by tools/client_calls.py. DO NOT CHANGE."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from pgbraid.stored import EmbeddingUsage

if TYPE_CHECKING:
    from pgbraid.client.base import BaseClient


def embedding_usage(client: BaseClient, since: date | None = None) -> list[EmbeddingUsage]:
    """Show the work of embedding services, as recorded by workers: one row for each tenant, model and day (UTC).

    since: the first day to show; null, the default, shows all days. token_count: the tokens that were embedded.
    estimated_token_count: tokens that the service did not report, estimated as a quarter of the characters;
    token_count includes them. cost: the cost by pgbraid work --price-per-million; null if no price was given. Days are
    kept for 400 days; maintain deletes older ones. Only services and administrators may call it.

    Maps to braid.embedding_usage. Raise PermissionDeniedError.
    """
    found = client._session.records("embedding_usage", "since => %(since)s::date", since=since)
    return [EmbeddingUsage(*row) for row in found]
