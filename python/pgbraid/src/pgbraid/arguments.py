"""Define types of the client's arguments, check them, and convert them for the database."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import Any, Literal, TypedDict

from pgbraid.errors import RENAMED_ARGUMENTS, InvalidArgumentError
from pgbraid.long_numbers import dumps

Mode = Literal["hybrid", "full_text", "semantic"]
# A duration is seconds, an interval in PostgreSQL's syntax such as "5 minutes", or a timedelta.
Duration = float | str | timedelta


class OtherNames(TypedDict, total=False):
    """Hold arguments given by another name: `limit` is `match_count`."""

    limit: int | None


def row_count(given: int | None, other_names: OtherNames, default: int, name: str = "match_count") -> int:
    """Return the number of rows that the argument `name`, or `limit`, asks for, else the default. Raise
    InvalidArgumentError for both together and for an argument's former name, and TypeError for an unknown argument."""
    others: dict[str, Any] = {**other_names}
    limit = others.pop("limit", None)
    refuse_others(others)
    if given is not None and limit is not None:
        raise InvalidArgumentError(f"{name} and limit are one argument", hint=f"give {name} alone", sqlstate="22023")
    asked = limit if given is None else given
    return default if asked is None else asked


def refuse_others(others: Mapping[str, object]) -> None:
    """Raise InvalidArgumentError for an argument's former name, and TypeError for an unknown argument."""
    for name in others:
        if new := RENAMED_ARGUMENTS.get(name):
            raise InvalidArgumentError(f"there is no argument {name}", hint=f"its name is now: {new}", sqlstate="22023")
        raise TypeError(f"unexpected keyword argument {name!r}")


def check_mode(mode: object, modes: tuple[str, ...] = ("hybrid", "full_text", "semantic")) -> None:
    """Raise InvalidArgumentError for an unknown mode of a search; the hint names the right one."""
    if mode not in modes:
        from pgbraid.mode_names import other_name

        known = other_name(mode)
        called = f"; what is {str(mode)[:100]!r} elsewhere is {known!r} here" if known in modes else ""
        raise InvalidArgumentError(
            f"mode is {mode!r}"[:200],
            hint=f"use {', '.join(map(repr, modes[:-1]))} or {modes[-1]!r}{called}",
            sqlstate="22023",
        )


def check_query(query: object) -> None:
    """Raise InvalidArgumentError for a query that is not text, such as a list of several."""
    if query is not None and not isinstance(query, str):
        is_list = isinstance(query, (list, tuple))
        raise InvalidArgumentError(
            f"query is {query!r}, a {type(query).__name__}"[:200],
            hint="give one text; search() takes a list of them, and searches for all together"
            if is_list
            else "give a text",
            sqlstate="22023",
        )


# Matches JSON's escape of NUL, but not an escaped backslash before "u0000".
_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")


def to_json(value: Any, name: str) -> str:
    """Return JSON, with datetimes in ISO form and numpy's values as plain ones. Raise InvalidArgumentError."""
    try:
        encoded = dumps(value, _encode, allow_nan=False, ensure_ascii=False)
        # A lone surrogate cannot be encoded as UTF-8.
        encoded.encode()
    except UnicodeEncodeError as error:
        raise InvalidArgumentError(f"{name} cannot be sent: {error}", hint="remove lone surrogates") from error
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidArgumentError(
            f"{name} cannot be sent: {error}", hint="use JSON's types, datetimes and arrays"
        ) from error
    if "\\u0000" in encoded and _NUL.search(encoded):
        raise InvalidArgumentError(f"{name} contains NUL (0x00)", hint="remove it: PostgreSQL has no NUL")
    return encoded


def as_interval(value: Duration | None, name: str) -> str | None:
    """Return a duration in PostgreSQL's interval syntax. Raise InvalidArgumentError for an invalid one."""
    if value is None or isinstance(value, str):
        return value
    seconds = value.total_seconds() if isinstance(value, timedelta) else value
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not math.isfinite(seconds):
        raise InvalidArgumentError(
            f"{name} is {value!r}"[:200],
            hint="give seconds, a text such as '5 minutes', or a timedelta",
            sqlstate="22023",
        )
    return f"{float(seconds)!r} seconds"


def as_list(values: Iterable[Any], name: str) -> list[Any]:
    """Return the values as a list. Raise InvalidArgumentError for a value that is no list, and for a single text, as
    its letters would be taken for the values."""
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise InvalidArgumentError(
            f"{name} is of type {type(values).__name__}", hint="give a list, also of a single value", sqlstate="22023"
        )
    return list(values)


def as_numbers(values: Iterable[Any], name: str) -> list[float]:
    """Return the values as numbers. Raise InvalidArgumentError for a value that is no number."""
    try:
        return [float(value) for value in as_list(values, name)]
    except (TypeError, ValueError) as error:
        raise InvalidArgumentError(f"{name}: {error}", hint="give a list of numbers", sqlstate="22023") from error


def _encode(value: Any) -> Any:
    if isinstance(value, date):
        return value.isoformat()
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"values of type {type(value).__name__} are not JSON")


def optional_json(value: Any, name: str) -> str | None:
    return None if value is None else to_json(value, name)
