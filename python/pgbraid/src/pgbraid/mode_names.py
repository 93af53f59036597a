"""Map other systems' names of search modes to ours, for hints. A correct search does not import this module."""

from __future__ import annotations

# braid_store.other_name knows the same names.
_OTHER_NAMES = {
    "semantic": "vector vectors vectorsearch dense knn ann embedding embeddings similarity semanticsearch nearest",
    "full_text": "fulltext fulltextsearch fts keyword keywords keywordsearch bm25 lexical text textsearch tsvector",
    "hybrid": "hybrid hybridsearch both combined rrf",
    "prefilter": "prefilter prefiltered rerank",
}


def other_name(name: object) -> str | None:
    """Return our name for another system's `name`; None if it is unknown."""
    folded = str(name).lower().translate(dict.fromkeys(map(ord, "-_ ")))
    return next((mode for mode, names in _OTHER_NAMES.items() if folded in names.split()), None)
