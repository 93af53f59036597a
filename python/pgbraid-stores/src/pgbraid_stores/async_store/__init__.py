"""Implement the operations of a store, one function each, for all frameworks."""

from __future__ import annotations

from pgbraid_stores.async_store.indexing import index
from pgbraid_stores.async_store.reading import (
    delete_matching,
    existing_ids,
    find,
    matching_ids,
    passages_by_id,
    passages_matching,
    update_matching,
)
from pgbraid_stores.async_store.writing import embed_waiting, write

__all__ = [
    "delete_matching",
    "embed_waiting",
    "existing_ids",
    "find",
    "index",
    "matching_ids",
    "passages_by_id",
    "passages_matching",
    "update_matching",
    "write",
]
