"""Calls of search log. Made by tools/client_calls.py. DO NOT CHANGE."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Literal

from pgbraid.arguments import as_interval

if TYPE_CHECKING:
    from pgbraid.async_client.base import BaseClient


async def set_search_log(
    client: BaseClient,
    collection: str = "default",
    log: Literal["off", "sampled", "all"] = "all",
    *,
    sample_share: float | None = None,
    keep_query: Literal["text", "hash", "nothing"] | None = None,
    retention: timedelta | str | None = None,
) -> None:
    """Say which searches of a collection braid.logged_search logs, what it keeps of them and for how long.

    log: off (none, as in a new collection), sampled or all. sample_share: what share is logged if sampled, above 0 and
    at most 1; at first 0.1. keep_query: of the query and its filters, text keeps both, hash a hash of the query,
    nothing neither; at first text. retention: how long a search is kept, 1 to 366 days; at first 30 days. maintain()
    then deletes it, with its feedback. Null leaves a setting as it is. What was logged before stays as it is until it
    is deleted, also after its document was deleted; it goes with the collection or tenant. Boosts are kept with text
    alone. Only administrators may call it.

    Maps to braid.set_search_log. Raise NotFoundError, InvalidArgumentError.
    """
    await client._session.value_for_all(
        "set_search_log",
        """
        collection => %(collection)s::text, log => %(log)s::text, sample_share => %(sample_share)s::float8,
        keep_query => %(keep_query)s::text, retention => %(retention)s::interval
        """,
        collection=collection,
        log=log,
        sample_share=sample_share,
        keep_query=keep_query,
        retention=as_interval(retention, "retention"),
    )
    client._spaces.forget(collection)
