# Generated from async_client/related.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Find similar chunks and documents, and count values of the chunks found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pgbraid.arguments import as_list, check_query, optional_json
from pgbraid.stored import FacetValue

if TYPE_CHECKING:
    from pgbraid.client.base import BaseClient
    from pgbraid.search_options import SearchOptions


def facets(
    client: BaseClient,
    keys: Sequence[str] = (),
    query: str | None = None,
    *,
    filters: Mapping[str, Any] | None = None,
    collection: str = "default",
    match: str = "any",
    value_count: int = 10,
    options: SearchOptions | Mapping[str, Any] | None = None,
    aggregations: Mapping[str, Mapping[str, Any]] | None = None,
) -> dict[str, list[FacetValue]]:
    """Return the most frequent values of columns and metadata keys, with the number of chunks of each. It counts all
    chunks that a full-text search for the query finds; without a query, all that filters match. Maps to braid.facets.

    The result has every key, in order; each has up to `value_count` values, the most frequent first. Each element of a
    list counts as a value. `match` and `options` are the same as in `search`.

    `aggregations` counts ranges, dates and statistics, as in {"prices": {"key": "price", "interval": 10}}. The result
    has each name. A bucket's value is a dict, and the value None counts chunks without a value.

    Raise InvalidArgumentError, NotFoundError.
    """
    check_query(query)
    rows = client._session.json_rows(
        "facets",
        """
        keys => %(keys)s::text[], query_text => %(query)s::text, filters => %(filters)s::jsonb,
        collection => %(collection)s::text, match => %(match)s::text, value_count => %(value_count)s::int,
        options => %(options)s::jsonb, aggregations => %(aggregations)s::jsonb
        """,
        keys=as_list(keys, "keys"),
        query=query,
        filters=optional_json(filters, "filters"),
        collection=collection,
        match=match,
        value_count=value_count,
        options=optional_json(options, "options"),
        aggregations=optional_json(aggregations, "aggregations"),
    )
    found: dict[str, list[FacetValue]] = {key: [] for key in (*keys, *(aggregations or ()))}
    for row in rows:
        found[row["key"]].append(FacetValue(row["value"], row["count"]))
    return found
