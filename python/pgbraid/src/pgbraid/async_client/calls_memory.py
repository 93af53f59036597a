"""Calls of memory. Made by tools/client_calls.py. DO NOT CHANGE."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from pgbraid.arguments import optional_json
from pgbraid.timeframes import Timeframe, timeframe_text

if TYPE_CHECKING:
    from pgbraid.async_client.base import BaseClient


async def timeframe_filter(
    client: BaseClient,
    timeframe: Timeframe | None,
    filters: Mapping[str, Any] | None = None,
    *,
    time_zone: str | None = None,
    reference_time: datetime | None = None,
) -> dict[str, Any] | None:
    """Return the filter with which recall searches a timeframe. Use it for functions that take no timeframe, such as
    facets and explain_search.

    timeframe: any value that recall takes, but not auto. Null is all time; extract_timeframe gives null for a query
    that names no time. filters: further conditions that must hold. time_zone: null, the default, takes the session's
    time zone. reference_time: the time from which words such as yesterday count; null takes now.

    Maps to braid.timeframe_filter. Raise InvalidArgumentError; its hint lists the accepted forms.
    """
    (found,) = await client._session.json(
        "timeframe_filter",
        """
        timeframe => %(timeframe)s::text, filters => %(filters)s::jsonb, time_zone => %(time_zone)s::text,
        reference_time => %(reference_time)s::timestamptz
        """,
        timeframe=timeframe_text(timeframe),
        filters=optional_json(filters, "filters"),
        time_zone=time_zone,
        reference_time=reference_time,
    )
    return None if found is None else dict(found)
