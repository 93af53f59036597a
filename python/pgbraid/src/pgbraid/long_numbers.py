"""JSON of the database with integers that Python does not read by itself: a numeric has up to 131,072 digits."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any


def loads(text: str) -> Any:
    """As json.loads; integers of more digits than int() takes become a Decimal."""
    return json.loads(text, parse_int=_integer)


def _integer(digits: str) -> int | Decimal:
    try:
        return int(digits)
    except ValueError:
        return Decimal(digits)
