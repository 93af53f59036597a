# Generated from async_client/documents.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Write and count documents."""

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
    """Insert documents, or replace documents with the same external_id. Maps to braid.upsert_documents, in batches of
    up to 5,000, or to braid.upsert_embedded_documents if documents come with embeddings.

    A document is a dict with external_id (yours, required), content, title, source_uri, metadata (a dict), speaker,
    category, importance (a number), occurred_at (a datetime or ISO 8601) and language. A document that is embedded
    already has `embedding`, and becomes one chunk. `embedding` is a list or an array of numbers, or pgvector's Vector,
    HalfVector or SparseVector, with the collection's dimensions. `sparse`, a dict of terms and weights, makes a
    document one chunk as well (`pgbraid.vectors.sparse_terms` converts a SparseVector). Instead of content, `chunks`
    may hold dicts with content, embedding, sparse and attributes of their own, or `turns` a transcript: dicts with
    text, speaker, start and end in seconds. chunk_tokens and overlap_tokens say how content and turns are split; set
    format to "markdown" if content is Markdown. `access` lists the users and groups who may read the document, by
    the part permissions. Full-text search finds text at once; call `embed_pending` for semantic search. An unchanged
    document costs nothing.

    In a DataFrame of pandas or Polars, or a table of Arrow, each row is a document. `id` and `text` name the columns of
    external_id and content; other columns go by their names, and unknown ones become metadata.

    Every batch is a transaction: use `client.transaction()` for all or nothing. `progress(n)` is called with the number
    of documents written so far. Raise NotFoundError, LimitExceededError, and InvalidArgumentError naming the document,
    its place and the key. With `on_error="skip"`, a refused document, such as one with NUL in its text, is left out.
    `failed` of the result has its index, external_id and error; the batch is halved until all others are written.
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
    """Write a batch; if the database refuses one of its documents, write each half by itself."""
    try:
        # Opens a savepoint inside the caller's transaction.
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
    """Store weighted terms of chunks, made by a sparse model, in place of their former terms; return the number of
    chunks stored. Maps to braid.store_sparse_terms, in batches of 1,000.

    `terms` is `{chunk_id: {"harbour": 1.2, "ship": 0.4}}`; an empty dict removes the terms of its chunk. Chunks deleted
    in the meantime are skipped. Every batch is a transaction.

    Raise InvalidArgumentError, LimitExceededError, NotFoundError.
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
    """Return the number of this tenant's documents in a collection. Maps to braid.status, which counts chunks, too.

    Raise NotFoundError.
    """
    (status,) = client._session.json("status", "collection => %(collection)s::text", collection=collection)
    return int(status["collections"][0]["documents"])
