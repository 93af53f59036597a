"""Arguments of the client's searches: their types, and how they are sent."""

from __future__ import annotations

import json
from datetime import date
from typing import Any, Literal

from pgbraid.errors import InvalidArgumentError

__all__ = ["Mode", "optional_json", "to_json"]

Mode = Literal["hybrid", "full_text", "semantic"]


def to_json(value: Any, name: str) -> str:
    """JSON with datetimes in ISO form and numpy's values as plain ones. Raises InvalidArgumentError naming
    `name`."""
    try:
        encoded = json.dumps(value, default=_encode, allow_nan=False, ensure_ascii=False)
        # A lone surrogate cannot be sent.
        encoded.encode()
    except (TypeError, ValueError) as error:
        raise InvalidArgumentError(
            f"{name} cannot be sent: {error}", hint="use JSON's types, datetimes and arrays"
        ) from error
    return encoded


def _encode(value: Any) -> Any:
    if isinstance(value, date):
        return value.isoformat()
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"values of type {type(value).__name__} are not JSON")


def optional_json(value: Any, name: str) -> str | None:
    return None if value is None else to_json(value, name)
