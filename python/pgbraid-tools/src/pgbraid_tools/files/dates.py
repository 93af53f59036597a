"""Read dates from names of files and from their fields."""

from __future__ import annotations

import re
from datetime import date, datetime

__all__ = ["date_in_name", "iso_date"]

_IN_NAME = re.compile(r"(?<!\d)((?:19|20)\d\d)([-_.]?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])(?!\d)")


def date_in_name(name: str) -> str | None:
    """Return the date in a file's name, such as 2026-03-01-weekly.md or call_20260301.vtt."""
    found = _IN_NAME.search(name)
    return iso_date(f"{found[1]}-{found[3]}-{found[4]}") if found else None


def iso_date(value: object) -> str | None:
    """Return a date or time as ISO 8601; None if the value is neither."""
    if isinstance(value, (date, datetime)):
        return value.isoformat()
    if isinstance(value, str):
        text = value.strip()
        # Older versions of Python do not parse a final Z.
        text = f"{text[:-1]}+00:00" if text.endswith(("Z", "z")) else text
        try:
            return datetime.fromisoformat(text).isoformat()
        except ValueError:
            return None
    return None
