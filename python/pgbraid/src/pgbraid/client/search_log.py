# Generated from async_client/search_log.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""What is searched for, and what becomes of the results."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Literal

from pgbraid.errors import InvalidArgumentError
from pgbraid.results import SearchResults

if TYPE_CHECKING:
    from pgbraid.client.base import BaseClient

__all__ = ["record_feedback", "set_search_log"]


def record_feedback(
    client: BaseClient,
    search: str | SearchResults,
    external_id: str,
    kind: Literal["click", "dwell", "rating", "used_in_answer"],
    value: float | None = None,
) -> bool:
    """Tell what became of a document that a logged search found: `click`, `dwell` (seconds), `rating` (-10 to 10) or
    `used_in_answer`. `search` is what `search` gave, or its `stats["search_id"]`. False if that was known. Maps to
    braid.record_feedback.

    Results of a search that was not logged have no search_id: then nothing is recorded, and that is False, too.
    Raises NotFoundError, InvalidArgumentError, LimitExceededError.
    """
    search_id = search.stats.get("search_id") if isinstance(search, SearchResults) else search
    if search_id is None and isinstance(search, SearchResults):
        return False
    if not isinstance(search_id, str):
        raise InvalidArgumentError(
            f"search is {search!r}"[:200],
            hint='give what search() gave, or its stats["search_id"]',
            sqlstate="22023",
        )
    return bool(
        client._session.value(
            "record_feedback",
            """
            search_id => %(search_id)s::text, external_id => %(external_id)s::text, kind => %(kind)s::text,
            value => %(value)s::float8
            """,
            search_id=search_id,
            external_id=external_id,
            kind=kind,
            value=value,
        )
    )


def set_search_log(
    client: BaseClient,
    collection: str = "default",
    log: Literal["off", "sampled", "all"] = "all",
    *,
    sample_share: float | None = None,
    keep_query: Literal["text", "hash", "nothing"] | None = None,
    retention: timedelta | str | None = None,
) -> None:
    """Log searches of a collection: all, the share `sample_share` of them, or none; for how long, and what is kept of
    a query. None leaves a setting as it is. For administrators. Maps to braid.set_search_log.

    Raises NotFoundError, InvalidArgumentError.
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
        retention=retention,
    )
