"""Expand one query to several, for the argument `expand` of a search."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Protocol

from pgbraid.errors import InvalidArgumentError, PgbraidError

# A multi_search takes this number of queries beside the query itself.
MOST_EXPANSIONS = 15
# Bounds the texts read from an expander, which may be an endless generator.
MOST_READ = 1_000


class Expander(Protocol):
    """Return further queries for a query. Methods block; the async client calls them in a thread."""

    def expand(self, query: str) -> Sequence[str]: ...


class ExpansionError(PgbraidError):
    """An expander failed; the search goes on without it, with a warning."""


def expanded(expander: Expander | Callable[[str], Iterable[str]], query: str) -> tuple[list[str], str | None]:
    """Return the further queries, without duplicates and the query itself; if the expander failed, return the
    reason, too. Texts that the database cannot store are left out. Raise InvalidArgumentError if it is no expander."""
    ask = getattr(expander, "expand", expander)
    if isinstance(expander, type) or not callable(ask):
        raise InvalidArgumentError(
            f"expand is {repr(expander)[:100]}, not an expander",
            hint="give a function that takes a query and gives a list, or ChatExpander of pgbraid_tools.expanders",
            sqlstate="22023",
        )
    try:
        given = ask(query)
        if isinstance(given, (str, bytes)):
            raise ExpansionError("the expander gave no list of texts")
        # The result may be a generator.
        texts = list(islice(given, MOST_READ))
        if not all(isinstance(one, str) for one in texts):
            raise ExpansionError("the expander gave no list of texts")
        further = dict.fromkeys(" ".join(one.split()) for one in texts if _can_be_sent(one))
    except Exception as error:
        message = getattr(error, "message", None) or f"{type(error).__name__}: {error}"
        return [], "; ".join(filter(None, (str(message), getattr(error, "hint", None))))
    return [one for one in further if one and one != query.strip()][:MOST_EXPANSIONS], None


def _can_be_sent(text: str) -> bool:
    """Return False for a text with a lone surrogate or a NUL."""
    return all(one > "\0" and not "\ud800" <= one <= "\udfff" for one in text)
