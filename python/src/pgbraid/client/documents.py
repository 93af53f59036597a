# Generated from async_client/documents.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Writing documents, and deleting them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pgbraid.client.statements import TENANT, Statements
from pgbraid.documents import batches, to_json
from pgbraid.results import WriteSummary

__all__ = ["Documents"]


class Documents(Statements):
    def add_documents(
        self,
        documents: Iterable[Mapping[str, Any]],
        *,
        collection: str = "default",
        progress: Callable[[int], object] | None = None,
    ) -> WriteSummary:
        """Insert documents, or replace those of the same external_id. Maps to braid.upsert_documents, per
        500.

        A document is a dict with external_id (yours, required), content, title, source_uri, metadata (a
        dict), speaker, category, importance (a number), occurred_at (a datetime or ISO 8601), language, and,
        if it is embedded already, embedding: a list or array of numbers, the document then being one chunk.
        Instead of content, `chunks` may hold dicts with content, embedding and attributes of their own. Text
        is found by full-text search at once; call `embed_pending` for the rest. A document that did not
        change costs nothing.

        Every batch is a transaction: use `client.transaction()` for all or nothing. `progress(n)` is called
        with the number of documents written so far. Raises InvalidArgumentError naming the document and the
        key.
        """
        summary = WriteSummary()
        for batch in batches(documents):
            rows = self._rows(
                f"""
                select (w.result).status, count(*), coalesce(sum((w.result).chunk_count), 0)
                from (
                  select braid.upsert_documents(documents => %(documents)s::jsonb, collection => %(collection)s)
                  from {TENANT}
                ) w (result)
                group by 1
                """,
                documents=f"[{','.join(batch)}]",
                collection=collection,
            )
            counts = {status: int(count) for status, count, _ in rows}
            chunks = sum(int(count) for status, _, count in rows if status in ("inserted", "replaced"))
            summary += WriteSummary(**counts, chunks=chunks)
            if progress is not None:
                progress(summary.documents)
        return summary

    def update_metadata(
        self,
        external_id: str,
        metadata: Mapping[str, Any],
        *,
        replace: bool = False,
        collection: str = "default",
    ) -> bool:
        """Merge into a document's metadata, or replace it; whether the document is there. Embeds nothing.

        Maps to braid.update_metadata.
        """
        return bool(
            self._value(
                """
                braid.update_metadata(external_id => %(external_id)s::text, metadata => %(metadata)s::jsonb,
                                      replace => %(replace)s::boolean, collection => %(collection)s)
                """,
                external_id=external_id,
                metadata=to_json(metadata, "metadata"),
                replace=replace,
                collection=collection,
            )
        )

    def delete_document(self, external_id: str, *, collection: str = "default") -> bool:
        """Delete a document; whether it was there. Maps to braid.delete_document."""
        return bool(
            self._value(
                "braid.delete_document(external_id => %(external_id)s::text, collection => %(collection)s)",
                external_id=external_id,
                collection=collection,
            )
        )

    def delete_documents(self, external_ids: Sequence[str], *, collection: str = "default") -> int:
        """Delete documents, much faster than one by one; how many were there. Maps to braid.delete_documents."""
        return int(
            self._value(
                "braid.delete_documents(external_ids => %(external_ids)s::text[], collection => %(collection)s)",
                external_ids=list(external_ids),
                collection=collection,
            )
        )

    def clear_collection(self, collection: str = "default") -> int:
        """Delete this tenant's documents of a collection; how many. Maps to braid.clear_collection."""
        return int(
            self._value("braid.clear_collection(collection => %(collection)s)", collection=collection)
        )
