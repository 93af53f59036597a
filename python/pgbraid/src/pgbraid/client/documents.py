# Generated from async_client/documents.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Documents: written, looked up and deleted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from pgbraid.arguments import to_json
from pgbraid.client.session import TENANT
from pgbraid.document_batches import Batch, batches, batches_ahead, failure
from pgbraid.errors import InvalidArgumentError
from pgbraid.stored import FailedDocument, WriteSummary

if TYPE_CHECKING:
    from pgbraid.client.base import BaseClient
    from pgbraid.frames import Frame


def add_documents(
    client: BaseClient,
    documents: Iterable[Mapping[str, Any]] | Frame,
    *,
    collection: str = "default",
    id: str = "external_id",  # noqa: A002
    text: str = "content",
    progress: Callable[[int], object] | None = None,
    on_error: Literal["raise", "skip"] = "raise",
) -> WriteSummary:
    """Insert documents, or replace those of the same external_id. Maps to braid.upsert_documents, in
    batches of up to 5,000, or to braid.upsert_embedded_documents if they come with embeddings.

    A document is a dict with external_id (yours, required), content, title, source_uri, metadata (a
    dict), speaker, category, importance (a number), occurred_at (a datetime or ISO 8601), language, and,
    if it is embedded already, embedding: a list or an array of numbers, or a Vector, HalfVector or SparseVector of
    pgvector's, as many as the collection has dimensions; the document is one chunk then. So it is with sparse, a dict
    of terms and weights (`pgbraid.vectors.sparse_terms` makes it of a SparseVector). Instead of content, `chunks` may
    hold dicts with content, embedding, sparse and attributes of their own, or `turns` a transcript: dicts with text,
    speaker, start and end in seconds. chunk_tokens and overlap_tokens say how content and turns are split, the
    format "markdown" what content is. Text is found by full-text search at once; call `embed_pending` for the rest. A
    document that did not change costs nothing.

    A DataFrame of pandas or Polars, or a table of Arrow, is a document a row: `id` and `text` are the columns of
    external_id and content, others go by their names, and those that documents do not have become metadata.

    Every batch is a transaction: use `client.transaction()` for all or nothing. `progress(n)` is called
    with the number of documents written so far. Raises InvalidArgumentError naming the document, its place and the
    key. With `on_error="skip"` a document that is refused, such as one with NUL in its text, is left out, and `failed`
    of the result has its index, external_id and error; a batch that has one is divided until the others are written.
    """
    if on_error not in ("raise", "skip"):
        raise InvalidArgumentError(f"on_error is {on_error!r}", hint="use 'raise' or 'skip'", sqlstate="22023")
    if not isinstance(documents, (list, tuple)):
        from pgbraid.frames import frame_documents, is_frame

        if is_frame(documents):
            documents = frame_documents(documents, id, text)
    rows: Any = documents
    client = client._for_one_call()
    summary = WriteSummary()
    failed: list[FailedDocument] | None = [] if on_error == "skip" else None
    for batch in batches_ahead(rows, failed) if isinstance(rows, (list, tuple)) else batches(rows, failed):
        if failed is None:
            try:
                summary += _write(client, batch, collection)
            except InvalidArgumentError as error:
                raise batch.naming(error) from error
        else:
            summary += _write_what_can_be(client, batch, collection, failed)
        if progress is not None:
            progress(summary.documents)
    return summary + WriteSummary(failed=tuple(sorted(failed or (), key=lambda document: document.index)))


def _write(client: BaseClient, batch: Batch, collection: str) -> WriteSummary:
    # %b, as psycopg would write a list of vectors out as text.
    function = "upsert_embedded_documents" if batch.embeddings else "upsert_documents"
    embeddings = ", embeddings => %(embeddings)b" if batch.embeddings else ""
    written = client._session.rows(
        function,
        f"""
        select (w.result).status, count(*), coalesce(sum((w.result).chunk_count), 0)
        from (
          select braid.{function}(documents => %(documents)s::jsonb, collection => %(collection)s{embeddings})
          from {TENANT}
        ) w (result)
        group by 1
        """,
        documents=f"[{','.join(batch.texts)}]",
        collection=collection,
        **({"embeddings": batch.embeddings} if batch.embeddings else {}),
    )
    counts: dict[str, Any] = {status: int(count) for status, count, _ in written}
    chunks = sum(int(count) for status, _, count in written if status in ("inserted", "replaced"))
    return WriteSummary(chunks=chunks, **counts)


def _write_what_can_be(
    client: BaseClient, batch: Batch, collection: str, failed: list[FailedDocument]
) -> WriteSummary:
    """Write a batch, and if one of its documents is refused, each half of it."""
    try:
        # A savepoint inside the caller's transaction.
        with client.transaction():
            return _write(client, batch, collection)
    except InvalidArgumentError as error:
        if len(batch.documents) == 1:
            document = batch.documents[0]
            failed.append(failure(error, document.index, document.values))
            return WriteSummary()
    summary = WriteSummary()
    for half in batch.halves():
        summary += _write_what_can_be(client, half, collection, failed)
    return summary


def store_sparse_terms(
    client: BaseClient, terms: Mapping[int, Mapping[str, float]], *, collection: str = "default"
) -> int:
    """Store weighted terms of chunks, made by a sparse model, in place of those that they have; how many of the chunks
    were there. Maps to braid.store_sparse_terms, in batches of 1,000.

    `{chunk_id: {"harbour": 1.2, "ship": 0.4}}`; an empty dict removes the terms of its chunk. Chunks that were deleted
    in the meantime are passed over. Every batch is a transaction.

    Raises InvalidArgumentError, LimitExceededError, NotFoundError.
    """
    client = client._for_one_call()
    chunk_ids = list(terms)
    stored = 0
    for first in range(0, len(chunk_ids), 1000):
        batch = chunk_ids[first : first + 1000]
        stored += int(
            client._session.value(
                "store_sparse_terms",
                """
                chunk_ids => %(chunk_ids)s::bigint[], terms => %(terms)s::jsonb, collection => %(collection)s::text
                """,
                chunk_ids=batch,
                terms=to_json([terms[chunk_id] for chunk_id in batch], "terms"),
                collection=collection,
            )
        )
    return stored


def count(client: BaseClient, collection: str = "default") -> int:
    """How many documents this tenant has in a collection. Maps to braid.status, which counts chunks, too.

    Raises NotFoundError.
    """
    (status,) = client._session.json("status", "collection => %(collection)s::text", collection=collection)
    return int(status["collections"][0]["documents"])
