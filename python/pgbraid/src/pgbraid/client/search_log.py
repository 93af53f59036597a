# Generated from async_client/search_log.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Record feedback on search results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pgbraid.errors import InvalidArgumentError
from pgbraid.results import SearchResults

if TYPE_CHECKING:
    from pgbraid.client.base import BaseClient


def record_feedback(
    client: BaseClient,
    search: str | SearchResults,
    external_id: str,
    kind: Literal["click", "dwell", "rating", "used_in_answer"],
    value: float | None = None,
) -> bool:
    """Record what became of a document that a logged search found: `click`, `dwell` (seconds), `rating` (-10 to 10) or
    `used_in_answer`. `search` is the result of `search`, or its `stats["search_id"]`. Return False if this was recorded
    before. Maps to braid.record_feedback.

    Results of a search that was not logged have no search_id: nothing is recorded then, and the result is False, too.
    Raise NotFoundError, InvalidArgumentError, LimitExceededError.
    """
    search_id = search.stats.get("search_id") if isinstance(search, SearchResults) else search
    if search_id is None and isinstance(search, SearchResults):
        return False
    if not isinstance(search_id, str):
        raise InvalidArgumentError(
            f"search is {search!r}"[:200],
            hint='give the result of search(), or its stats["search_id"]',
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
