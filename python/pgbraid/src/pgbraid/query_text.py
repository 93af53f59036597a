"""Recognise plain queries. The database defines the query language: `braid.embedded_text` says what is embedded."""

from __future__ import annotations

_QUOTES = '"\u201c\u201d\u201e'


def is_plain(query: str) -> bool:
    """Return whether a query surely has no operator: then all of it is embedded, without asking the database."""
    words = query.split()
    return (
        words == query.split(" ")
        and all(word[0].isalnum() and word != "OR" and not word.endswith("*") for word in words)
        and not any(quote in query for quote in _QUOTES)
    )
