"""Arguments of the client's searches: their types, and how they are sent."""

from __future__ import annotations

import json
from datetime import date
from typing import Any, Literal

from pgbraid.errors import InvalidArgumentError

__all__ = ["Mode", "check_mode", "check_query", "optional_json", "other_name", "to_json"]

Mode = Literal["hybrid", "full_text", "semantic"]

# What others call the modes, as in braid_store.other_name.
_OTHER_NAMES = {
    "semantic": "vector vectors vectorsearch dense knn ann embedding embeddings similarity semanticsearch nearest",
    "full_text": "fulltext fulltextsearch fts keyword keywords keywordsearch bm25 lexical text textsearch tsvector",
    "hybrid": "hybrid hybridsearch both combined rrf",
    "prefilter": "prefilter prefiltered rerank",
}


def other_name(name: object) -> str | None:
    """Return the name, here, of what others call `name`; None if it is not known."""
    folded = str(name).lower().translate(dict.fromkeys(map(ord, "-_ ")))
    return next((mode for mode, names in _OTHER_NAMES.items() if folded in names.split()), None)


def check_mode(mode: object, modes: tuple[str, ...] = ("hybrid", "full_text", "semantic")) -> None:
    """Raise InvalidArgumentError, whose hint has the right name, for what is no mode of a search."""
    if mode not in modes:
        known = other_name(mode)
        called = f"; what is {str(mode)[:100]!r} elsewhere is {known!r} here" if known in modes else ""
        raise InvalidArgumentError(
            f"mode is {mode!r}"[:200],
            hint=f"use {', '.join(map(repr, modes[:-1]))} or {modes[-1]!r}{called}",
            sqlstate="22023",
        )


def check_query(query: object) -> None:
    """Raise InvalidArgumentError for a query that is no text, such as a list of several."""
    if query is not None and not isinstance(query, str):
        is_list = isinstance(query, (list, tuple))
        raise InvalidArgumentError(
            f"query is {query!r}, a {type(query).__name__}"[:200],
            hint="give one text; search() takes a list of them, and searches for all together"
            if is_list
            else "give a text",
            sqlstate="22023",
        )


def to_json(value: Any, name: str) -> str:
    """JSON with datetimes in ISO form and numpy's values as plain ones. Raises InvalidArgumentError naming
    `name`."""
    try:
        encoded = json.dumps(value, default=_encode, allow_nan=False, ensure_ascii=False)
        # A lone surrogate cannot be sent.
        encoded.encode()
    except (TypeError, ValueError, RecursionError) as error:
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
