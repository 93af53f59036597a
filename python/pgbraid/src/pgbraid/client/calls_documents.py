# Generated from async_client/calls_documents.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Calls of documents. Made by tools/client_calls.py. DO NOT CHANGE."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from pgbraid.arguments import OtherNames, as_list, optional_json, row_count, to_json
from pgbraid.stored import Document, EmbeddingBacklog, EmbeddingJob, ListedDocument

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from pgbraid.client.base import BaseClient


def get_document(
    client: BaseClient,
    external_id: str,
    collection: str = "default",
    *,
    first_chunk: int = 0,
    chunk_count: int | None = None,
) -> Document | None:
    """Return a document of the tenant with its chunks in order, as one JSON object; null if no document has that
    external_id.

    first_chunk: the chunk_index of the first chunk to return, 0 by default. chunk_count: how many chunks are returned;
    null, the default, returns all. To read around a passage, begin before its chunk_index. Its keys are document_id,
    external_id, title, source_uri, metadata, occurred_at, created_at, updated_at, chunks and chunk_count, the number
    of chunks that the document has. Each chunk has chunk_id, chunk_index, content, token_count, speaker, category,
    importance, occurred_at, language and metadata.

    Maps to braid.get_document. Raise InvalidArgumentError, and NotFoundError for a collection that does not exist.
    """
    (found,) = client._session.json(
        "get_document",
        """
        external_id => %(external_id)s::text, collection => %(collection)s::text,
        first_chunk => %(first_chunk)s::int, chunk_count => %(chunk_count)s::int
        """,
        external_id=external_id,
        collection=collection,
        first_chunk=first_chunk,
        chunk_count=chunk_count,
    )
    return None if found is None else Document.from_row(found)


def list_documents(
    client: BaseClient,
    collection: str = "default",
    *,
    match_count: int | None = None,
    after: str | None = None,
    filters: Mapping[str, Any] | None = None,
    **other_names: Unpack[OtherNames],
) -> list[ListedDocument]:
    """List the tenant's documents of a collection, without their text, in the order of external_id (compared by its
    bytes).

    match_count: how many rows a page has, 1 to 10000. after: null, the default, gives the first page; for the next
    page, give the external_id of the last row. filters: the conditions, as in searches; a document is listed if one of
    its chunks meets them.

    Maps to braid.list_documents. `match_count`, or `limit`, is 100 by default. Raise InvalidArgumentError,
    NotFoundError.
    """
    match_count = row_count(match_count, other_names, 100)
    found = client._session.json_rows(
        "list_documents",
        """
        collection => %(collection)s::text, match_count => %(match_count)s::int, after => %(after)s::text,
        filters => %(filters)s::jsonb
        """,
        collection=collection,
        match_count=match_count,
        after=after,
        filters=optional_json(filters, "filters"),
    )
    return [ListedDocument.from_row(row) for row in found]


def update_metadata(
    client: BaseClient,
    external_id: str,
    metadata: Mapping[str, Any],
    *,
    replace: bool = False,
    collection: str = "default",
) -> bool:
    """Merge keys into a document's metadata: a key whose value is null is removed, and keys not named stay.

    metadata: an object that holds the keys to merge. replace: true replaces all metadata of the document. Keys that a
    chunk brought itself stay. This needs no new embedding, and does not touch the text index. Return false if no
    document has that external_id.

    Maps to braid.update_metadata. Raise InvalidArgumentError, NotFoundError for a collection that does not exist,
    LimitExceededError.
    """
    found = client._session.value(
        "update_metadata",
        """
        external_id => %(external_id)s::text, metadata => %(metadata)s::jsonb, replace => %(replace)s::boolean,
        collection => %(collection)s::text
        """,
        external_id=external_id,
        metadata=to_json(metadata, "metadata"),
        replace=replace,
        collection=collection,
    )
    return bool(found)


def delete_document(client: BaseClient, external_id: str, collection: str = "default") -> bool:
    """Delete a document of the tenant with its chunks and vectors.

    Searches no longer find it once this commits. Return false if no document has that external_id. For many documents,
    use delete_documents.

    Maps to braid.delete_document. Raise NotFoundError for a collection that does not exist.
    """
    found = client._session.value(
        "delete_document",
        "external_id => %(external_id)s::text, collection => %(collection)s::text",
        external_id=external_id,
        collection=collection,
    )
    return bool(found)


def delete_documents(client: BaseClient, external_ids: Sequence[str], collection: str = "default") -> int:
    """Delete documents of the tenant with their chunks and vectors, much faster than one by one.

    external_ids: the documents to delete, at most 100000; unknown ids are passed over. Return the number of documents
    deleted.

    Maps to braid.delete_documents. Raise NotFoundError for a collection that does not exist, LimitExceededError.
    """
    found = client._session.value(
        "delete_documents",
        "external_ids => %(external_ids)s::text[], collection => %(collection)s::text",
        external_ids=as_list(external_ids, "external_ids"),
        collection=collection,
    )
    return int(found)


def clear_collection(client: BaseClient, collection: str = "default") -> int:
    """Delete all documents that the tenant stored in a collection, with their chunks and vectors.

    This cannot be undone. The collection itself and other tenants' documents stay. The tenant's writers to the
    collection wait until this transaction ends. Return the number of documents deleted.

    Maps to braid.clear_collection. Raise NotFoundError.
    """
    found = client._session.value("clear_collection", "collection => %(collection)s::text", collection=collection)
    return int(found)


def embedding_backlog(client: BaseClient) -> list[EmbeddingBacklog]:
    """Show where chunks of any tenant wait for their embedding: one row for each tenant, collection and model.

    waiting_count: all chunks that wait. claimable_count: the chunks that a worker can claim now; the others are
    claimed, pause after a failure, or were abandoned. last_error: the message of one job that failed, or null.
    Services and administrators may call it.

    Maps to braid.embedding_backlog. Raise PermissionDeniedError.
    """
    found = client._session.records("embedding_backlog")
    return [EmbeddingBacklog(*row) for row in found]


def list_embedding_jobs(
    client: BaseClient,
    state: Literal["waiting", "claimed", "paused", "abandoned"] | None = None,
    match_count: int | None = None,
    collection: str = "default",
    *,
    after: int = 0,
    embedding_model: str | None = None,
    **other_names: Unpack[OtherNames],
) -> list[EmbeddingJob]:
    """List chunks of a collection that wait for their embedding, in the order of their ids.

    state: the state to list; null, the default, lists all. match_count: how many rows a page has, 1 to 10000. after:
    the last chunk_id of the page before; 0 begins. embedding_model: see claim_embedding_jobs. state: waiting (a worker
    can claim it), claimed, paused (it failed before, and pauses or is claimed again), or abandoned (no worker gets it:
    see abandon_embedding_jobs). attempts: how often workers have claimed it; claims before the first failure count as
    one then. last_error: why it failed. available_at: when a worker can claim it; null means now, and infinity never.
    Workers and their administrators use it.

    Maps to braid.list_embedding_jobs. `match_count`, or `limit`, is 100 by default. Raise NotFoundError,
    InvalidArgumentError, PermissionDeniedError.
    """
    match_count = row_count(match_count, other_names, 100)
    found = client._session.json_rows(
        "list_embedding_jobs",
        """
        with_state => %(state)s::text, match_count => %(match_count)s::int, after_chunk_id => %(after)s::bigint,
        collection => %(collection)s::text, embedding_model => %(embedding_model)s::text
        """,
        state=state,
        match_count=match_count,
        after=after,
        collection=collection,
        embedding_model=embedding_model,
    )
    return [EmbeddingJob.from_row(row) for row in found]


def retry_embedding_jobs(
    client: BaseClient,
    chunk_ids: Sequence[int] | None = None,
    collection: str = "default",
    *,
    embedding_model: str | None = None,
) -> int:
    """Make jobs claimable at once, as if they had never been tried.

    chunk_ids: the chunks whose jobs to retry, at most 10000, whether they are claimed, pause after a failure or were
    abandoned; null, the default, takes all that have failed. embedding_model: see claim_embedding_jobs. A worker that
    stops gives back its claims in this way. Return the number of jobs found.

    Maps to braid.retry_embedding_jobs. Raise NotFoundError, InvalidArgumentError, PermissionDeniedError.
    """
    found = client._session.value(
        "retry_embedding_jobs",
        """
        chunk_ids => %(chunk_ids)s::bigint[], collection => %(collection)s::text,
        embedding_model => %(embedding_model)s::text
        """,
        chunk_ids=None if chunk_ids is None else as_list(chunk_ids, "chunk_ids"),
        collection=collection,
        embedding_model=embedding_model,
    )
    return int(found)


def drop_embedding_jobs(
    client: BaseClient,
    chunk_ids: Sequence[int] | None = None,
    collection: str = "default",
    *,
    embedding_model: str | None = None,
) -> int:
    """Remove jobs from the outbox: their chunks stay without an embedding, and only full text finds them.

    chunk_ids: the chunks whose jobs to remove, at most 10000; null, the default, removes all abandoned jobs.
    embedding_model: see claim_embedding_jobs; after a model change, semantic search does not find chunks without the
    new model's embedding. A chunk gets a new job when its text changes. Return the number of jobs removed.

    Maps to braid.drop_embedding_jobs. Raise NotFoundError, InvalidArgumentError, PermissionDeniedError.
    """
    found = client._session.value(
        "drop_embedding_jobs",
        """
        chunk_ids => %(chunk_ids)s::bigint[], collection => %(collection)s::text,
        embedding_model => %(embedding_model)s::text
        """,
        chunk_ids=None if chunk_ids is None else as_list(chunk_ids, "chunk_ids"),
        collection=collection,
        embedding_model=embedding_model,
    )
    return int(found)
