# Generated from async_store/__init__.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Implement the operations of a store, one function each, for all frameworks."""

from __future__ import annotations

from pgbraid_stores.store.indexing import index
from pgbraid_stores.store.reading import (
    delete_matching,
    existing_ids,
    find,
    matching_ids,
    passages_by_id,
    passages_matching,
    update_matching,
)
from pgbraid_stores.store.writing import embed_waiting, write

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
