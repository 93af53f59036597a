"""Texts of queries. What the query language means, and so what of a query is embedded, the database says:
`braid.embedded_text`."""

from __future__ import annotations

__all__ = ["is_plain", "plain_words"]

_QUOTES = '"\u201c\u201d\u201e'


def is_plain(query: str) -> bool:
    """Return whether a query surely has no operator: then all of it is embedded, and the database need not be asked."""
    words = query.split()
    return (
        words == query.split(" ")
        and all(word[0].isalnum() and word != "OR" and not word.endswith("*") for word in words)
        and not any(quote in query for quote in _QUOTES)
    )


def plain_words(text: str) -> str:
    """Return a text without what the query language would take as operators."""
    words = (word.lstrip("+-").rstrip("*") for word in text.translate(dict.fromkeys(map(ord, _QUOTES), " ")).split())
    return " ".join("or" if word == "OR" else word for word in words if word)
