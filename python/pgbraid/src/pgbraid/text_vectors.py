"""Embed queries with any embedder: turn all failures into EmbeddingError, and cache vectors."""

from __future__ import annotations

import hashlib
import threading
import weakref
from collections import OrderedDict
from typing import TYPE_CHECKING

from pgbraid.errors import EmbeddingError, PgbraidError
from pgbraid.vectors import to_vector

if TYPE_CHECKING:
    from pgvector import Vector

    from pgbraid.embedders.protocol import Embedder

# Bounds the process's cache of least recently used queries; 512 vectors of 1,536 dimensions take 3 MB.
CACHED_QUERIES = 512

# Keyed by the embedder's id, model and text; each entry refers to its embedder, as another one may reuse the id. All
# tenants and databases share the cache, so it may hold only vectors that the embedder made.
_cached: OrderedDict[tuple[int, str, bytes], tuple[weakref.ref[Embedder], Vector]] = OrderedDict()
_caching = threading.Lock()


def query_vector(embedder: Embedder, text: str) -> Vector:
    """Return the vector of a query, from the cache if possible. Raise EmbeddingError."""
    try:
        key = _cache_key(embedder, text)
        if known := _cached_vector(key, embedder):
            return known
        vector = to_vector(embedder.embed_query(text), "the query")
    except EmbeddingError:
        raise
    except Exception as error:
        raise embedder_failure(error) from error
    if hasattr(embedder, "__weakref__"):  # an embedder with __slots__ cannot be cached
        with _caching:
            _cached[key] = weakref.ref(embedder), vector
            _cached.move_to_end(key)
            while len(_cached) > CACHED_QUERIES:
                _cached.popitem(last=False)
    return vector


def known_vector(embedder: Embedder, text: str) -> Vector | None:
    """Return the cached vector of a query, else None. Raise EmbeddingError."""
    try:
        return _cached_vector(_cache_key(embedder, text), embedder)
    except Exception as error:
        raise embedder_failure(error) from error


def _cached_vector(key: tuple[int, str, bytes], embedder: Embedder) -> Vector | None:
    with _caching:
        if (known := _cached.get(key)) and known[0]() is embedder:
            _cached.move_to_end(key)
            return known[1]
    return None


def _cache_key(embedder: Embedder, text: str) -> tuple[int, str, bytes]:
    return id(embedder), embedder.model_name, hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def embedder_failure(error: Exception) -> EmbeddingError:
    message = error.message if isinstance(error, PgbraidError) else f"{type(error).__name__}: {error}"
    hint = getattr(error, "hint", None) or "check the embedder"
    return EmbeddingError(f"the embedder failed: {message}", hint=hint)
