"""Read and write JSON whose numbers are exact: a numeric of the database has up to 131,072 digits."""

from __future__ import annotations

import json
import re
from decimal import Decimal, InvalidOperation
from typing import Any
from uuid import uuid4

_MARK = uuid4().hex  # begins the text of a decimal, which json.dumps() cannot write as a number


def loads(text: str | bytes) -> Any:
    """Return json.loads(text), with Decimal for numbers that are too long for int() or would change as float."""
    return json.loads(text, parse_int=integer, parse_float=fraction)


def dumps(value: Any, default: Any, **options: Any) -> str:
    """Return json.dumps(value), with the digits of a Decimal as they are."""

    def encode(one: Any) -> Any:
        return f"{_MARK}{one}" if isinstance(one, Decimal) and one.is_finite() else default(one)

    text = json.dumps(value, default=encode, **options)
    return re.sub(f'"{_MARK}([^"]+)"', r"\1", text) if _MARK in text else text


def fraction(digits: str) -> float | Decimal:
    """Return the number as float, or as Decimal if the float is another number."""
    found = float(digits)
    try:
        return found if repr(found) in (digits, "nan") or Decimal(repr(found)) == Decimal(digits) else Decimal(digits)
    except InvalidOperation as error:
        raise ValueError(f"the exponent of {digits[:100]} is too large") from error


def integer(digits: str) -> int | Decimal:
    """Return the number as int, or as Decimal if it has more digits than int() takes under any limit of Python's."""
    return int(digits) if len(digits) <= 640 else Decimal(digits)
