"""Convert callers' timeframes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Literal

from pgbraid.errors import InvalidArgumentError

Strategy = Literal["hybrid", "full_text", "semantic", "prefilter", "auto"]
Timeframe = str | date | Sequence[str] | tuple[date | None, date | None]


def timeframe_text(timeframe: Timeframe | None) -> str | None:
    """Return a timeframe as SQL reads it. Raise InvalidArgumentError for an invalid one."""
    if timeframe is None or isinstance(timeframe, str):
        return timeframe
    if isinstance(timeframe, date) and not isinstance(timeframe, datetime):
        return timeframe.isoformat()
    parts = list(timeframe) if isinstance(timeframe, (list, tuple)) else []
    if parts and all(isinstance(part, str) for part in parts):
        return "; ".join(parts)
    if len(parts) != 2 or not all(part is None or isinstance(part, date) for part in parts):
        raise InvalidArgumentError(
            f"timeframe is {timeframe!r}"[:200],
            hint="give a text, a list of texts, a date, or two dates or datetimes: the second is not within it",
            sqlstate="22023",
        )
    begin, end = (part.isoformat() if part else "" for part in parts)
    return f"[{begin},{end})"
