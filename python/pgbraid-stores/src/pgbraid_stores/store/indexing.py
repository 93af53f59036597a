# Generated from async_store/indexing.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Keep a collection in step with the documents of a loader.

The collection itself tells what is indexed, so there is no separate record that could be wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pgbraid.errors import InvalidArgumentError
from pgbraid_stores.store.reading import matching_ids
from pgbraid_stores.store.writing import embed_waiting, write
from pgbraid_stores.tracking import Cleanup, IndexingCounts, Seen

if TYPE_CHECKING:
    from pgbraid.client import Client
    from pgbraid_stores.embedders import EmbeddingModel

__all__ = ["index"]

# The number of sources looked up in one call.
SOURCES_AT_ONCE = 1000
DELETED_AT_ONCE = 10_000


def index(
    client: Client,
    records: Iterable[Mapping[str, Any]],
    *,
    key: str,
    collection: str,
    model: EmbeddingModel | None,
    cleanup: Cleanup | None = None,
    batch_size: int = 1000,
    embed: bool = True,
) -> IndexingCounts:
    """Write documents; when all are written, delete the documents that are gone. With "incremental", documents of this
    run's sources are checked; with "full", all indexed documents.

    A record has its source, or None, in `metadata[key]["source"]`; its `external_id` may be empty: see `Seen`. Raise
    InvalidArgumentError and the errors of `add_documents`; nothing is deleted then.
    """
    if cleanup not in (None, "incremental", "full"):
        raise InvalidArgumentError(f"cleanup is {cleanup!r}", hint="use 'incremental', 'full' or None")
    if batch_size < 1:
        raise InvalidArgumentError(f"batch_size is {batch_size}", hint="use 1 or more")
    counts = IndexingCounts(num_added=0, num_updated=0, num_deleted=0, num_skipped=0)
    seen = Seen(key, cleanup)
    batch: list[Mapping[str, Any]] = []
    for record in records:
        named = seen.add(record)
        if named is None:
            counts["num_skipped"] += 1
            continue
        batch.append(named)
        if len(batch) >= batch_size:
            _write(client, batch, collection, model, counts)
            batch = []
    if batch:
        _write(client, batch, collection, model, counts)
    if cleanup is not None:
        counts["num_deleted"] = _clean(client, seen, key, collection, cleanup)
    if embed:
        # Besides the new texts, embed texts that an earlier run could not embed.
        embed_waiting(client, collection)
    return counts


def _write(
    client: Client,
    batch: Sequence[Mapping[str, Any]],
    collection: str,
    model: EmbeddingModel | None,
    counts: IndexingCounts,
) -> None:
    written = write(client, batch, collection, model)
    counts["num_added"] += written.inserted
    counts["num_updated"] += written.replaced + written.updated
    counts["num_skipped"] += written.unchanged + written.superseded


def _clean(client: Client, seen: Seen, key: str, collection: str, cleanup: Cleanup) -> int:
    gone: list[str] = []
    if cleanup == "full":
        stored = matching_ids(client, {f"{key}.indexed": True}, collection)
        if stored and not seen.ids:
            raise InvalidArgumentError(
                f"the loader gave no document, so the {len(stored)} indexed documents are kept",
                hint="check the loader; to delete all documents, use delete()",
            )
        gone = [external_id for external_id in stored if external_id not in seen.ids]
    else:
        sources = sorted(seen.sources)
        for start in range(0, len(sources), SOURCES_AT_ONCE):
            of_these = {
                f"{key}.indexed": True,
                f"{key}.source": {"$in": sources[start : start + SOURCES_AT_ONCE]},
            }
            stored = matching_ids(client, of_these, collection)
            gone += [external_id for external_id in stored if external_id not in seen.ids]
    for start in range(0, len(gone), DELETED_AT_ONCE):
        client.delete_documents(gone[start : start + DELETED_AT_ONCE], collection=collection)
    return len(gone)
