# Generated from async_client/maintenance.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Upkeep: what there is, what waits, and the indexes checked and made anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pgbraid.arguments import Duration, as_interval
from pgbraid.stored import IndexProblem

if TYPE_CHECKING:
    from pgbraid.client.base import BaseClient

__all__ = [
    "calibrate",
    "check_index",
    "health",
    "maintain",
    "measure_recall",
    "rebuild_index",
    "rebuild_vector_index",
    "status",
]


def status(client: BaseClient, collection: str | None = None) -> dict[str, Any]:
    """Version, tenant, and what the collections, or one of them, hold of this tenant and have not embedded yet: the
    JSON object of braid.status.

    Raises NotFoundError.
    """
    (status,) = client._session.json("status", "collection => %(collection)s::text", collection=collection)
    return dict(status)


def health(client: BaseClient, older_than: Duration = 3600.0) -> list[dict[str, Any]]:
    """What is wrong, or could be better: `severity` ("problem" or "advice"), `code`, `subject`, `finding`, `reason` and
    `command`, which mends it. Something must wait for `older_than` to count: seconds, a text such as
    "2 hours", or a timedelta. Maps to braid.health.

    Raises InvalidArgumentError.
    """
    return client._session.json_rows(
        "health",
        "older_than => %(older_than)s::interval",
        older_than=as_interval(older_than, "older_than"),
    )


def maintain(client: BaseClient, time_budget: Duration | None = None) -> dict[str, Any]:
    """Merge, move vectors, index attributes declared later and tidy up for `time_budget`; what was
    done. It is seconds, a text such as "5 minutes", or a timedelta.
    Without a budget for 10 seconds, or for as long as an index takes that does not fit in. For services and
    administrators. Maps to braid.maintain, whose JSON object it returns: `complete` says whether nothing is left.

    Raises InvalidArgumentError.
    """
    (done,) = client._session.json(
        "maintain",
        "time_budget => %(time_budget)s::interval",
        time_budget=as_interval(time_budget, "time_budget"),
    )
    return dict(done)


def calibrate(client: BaseClient) -> dict[str, float]:
    """Measure, in some seconds, from how many vectors on an index is faster than a scan on this server, and set
    that. Returns `exact_rows` (vectors), `scan_ms_per_1000` and `search_ms` (milliseconds). For administrators. Maps to
    braid.calibrate."""
    return dict(client._session.value_for_all("calibrate"))


def check_index(client: BaseClient, collection: str = "default") -> list[IndexProblem]:
    """Compare this tenant's full-text index of a collection with its chunks, analysed anew; empty if it is right.
    Takes about as long as adding the documents did. Maps to braid.check_index.

    Raises NotFoundError.
    """
    problems = client._session.json_rows("check_index", "collection => %(collection)s", collection=collection)
    return [IndexProblem(**problem) for problem in problems]


def rebuild_index(client: BaseClient, collection: str = "default") -> int:
    """Make this tenant's full-text index of a collection anew, from its chunks; how many chunks. Searches go on,
    writers wait. Maps to braid.rebuild_index.

    Raises NotFoundError.
    """
    return int(client._session.value("rebuild_index", "collection => %(collection)s", collection=collection))


def rebuild_vector_index(client: BaseClient, collection: str = "default") -> bool:
    """Have `maintain` make this tenant's vector index of a collection anew, beside the one that serves; False if it
    has none, because its vectors are scanned. Maps to braid.rebuild_vector_index.

    Raises NotFoundError.
    """
    return bool(
        client._session.value("rebuild_vector_index", "collection => %(collection)s", collection=collection)
    )


def measure_recall(
    client: BaseClient, collection: str = "default", *, query_count: int = 100, set_ef_search: bool = False
) -> dict[str, Any]:
    """Measure what this tenant's vector index of a collection finds of what an exact search finds, with the vectors of
    its own queries or, if there are few, with queries made of stored vectors. Takes as long as `query_count` exact
    searches. `set_ef_search` has searches use the width suggested. Maps to braid.measure_recall, whose JSON object it
    returns: `indexes` is empty if all vectors are compared anyway.

    Raises InvalidArgumentError, NotFoundError.
    """
    (measured,) = client._session.json(
        "measure_recall",
        """
        collection => %(collection)s::text, query_count => %(count)s::int, set_ef_search => %(set)s::boolean
        """,
        collection=collection,
        count=query_count,
        set=set_ef_search,
    )
    return dict(measured)
