"""Parse the database's JSON with integers too long for Python's int(): a numeric has up to 131,072 digits."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any


def loads(text: str) -> Any:
    """Return json.loads(text), with Decimal for integers that have more digits than int() takes."""
    return json.loads(text, parse_int=_integer)


def _integer(digits: str) -> int | Decimal:
    try:
        return int(digits)
    except ValueError:
        return Decimal(digits)
