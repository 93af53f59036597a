# Generated from async_client/calls_search_log.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Calls of search log. Made by tools/client_calls.py. DO NOT CHANGE."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Literal

from pgbraid.arguments import as_interval

if TYPE_CHECKING:
    from pgbraid.client.base import BaseClient


def set_search_log(
    client: BaseClient,
    collection: str = "default",
    log: Literal["off", "sampled", "all"] = "all",
    *,
    sample_share: float | None = None,
    keep_query: Literal["text", "hash", "nothing"] | None = None,
    retention: timedelta | str | None = None,
) -> None:
    """Set which searches of a collection braid.logged_search logs, what it keeps of them and for how long.

    log: takes off (none, as in a new collection), sampled or all. sample_share: the share of searches to log if
    sampled, above 0 and at most 1; initially 0.1. keep_query: keeps text, hash or nothing; initially text. With text,
    the query and its filters are kept; with hash, only a hash of the query. retention: how long a search is kept, 1 to
    366 days, in whole days, rounded up; initially 30 days. Null leaves a setting as it is. maintain() deletes searches
    past their retention, with their feedback. Logged searches are unaffected by new settings, and by the deletion of a
    document. They are deleted with the collection or tenant. Boosts are only kept with text. Only administrators may
    call it.

    Maps to braid.set_search_log. Raise NotFoundError, InvalidArgumentError.
    """
    client._session.value_for_all(
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
