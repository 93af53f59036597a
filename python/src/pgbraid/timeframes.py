"""Timeframes as callers give them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from pgbraid.errors import InvalidArgumentError

__all__ = ["Strategy", "Timeframe", "timeframe_text"]

Strategy = Literal["hybrid", "full_text", "semantic", "prefilter", "auto"]
Timeframe = str | Sequence[str] | tuple[datetime | None, datetime | None]


def timeframe_text(timeframe: Timeframe | None) -> str | None:
    if timeframe is None or isinstance(timeframe, str):
        return timeframe
    if any(isinstance(part, str) for part in timeframe):
        return "; ".join(map(str, timeframe))
    bounds = [part.isoformat() if isinstance(part, datetime) else "" for part in timeframe]
    if len(bounds) != 2:
        raise InvalidArgumentError(
            f"timeframe has {len(bounds)} parts", hint="give a text, texts, or two datetimes", sqlstate="22023"
        )
    return f"[{bounds[0]},{bounds[1]})"
