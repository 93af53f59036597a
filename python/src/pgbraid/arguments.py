"""Arguments of the client's searches: their types, and how they are sent."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from pgbraid.documents import to_json
from pgbraid.errors import InvalidArgumentError

__all__ = ["Mode", "Strategy", "Timeframe", "Vector", "optional_json", "timeframe_text"]

Mode = Literal["hybrid", "full_text", "semantic"]
Strategy = Literal["hybrid", "full_text", "semantic", "prefilter", "auto"]
Timeframe = str | Sequence[str] | tuple[datetime | None, datetime | None]
Vector = Sequence[float] | Any


def optional_json(value: Any, name: str) -> str | None:
    return None if value is None else to_json(value, name)


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
