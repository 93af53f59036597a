"""What others call the modes of searches, for hints. A search that is right does not load it."""

from __future__ import annotations

# As in braid_store.other_name.
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
