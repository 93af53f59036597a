"""Calls of upkeep. Made by tools/client_calls.py. DO NOT CHANGE."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pgbraid.arguments import Duration, as_interval
from pgbraid.stored import IndexProblem

if TYPE_CHECKING:
    from pgbraid.async_client.base import BaseClient


async def status(client: BaseClient, collection: str | None = None) -> dict[str, Any]:
    """Return as JSON the installed version and parts, the tenant that the session acts for, and what this tenant has
    in each collection, or only in the one named (null, as by default: all).

    For each: documents, chunks, pending_embeddings (chunks that wait for an embedding), failed_embeddings, segments
    and tombstones of the text index, chunks_with_sparse_terms, logged_searches, vectors (how many are scanned, and the
    vector shards with their measured index recall), and model_change: its progress, or null. The counts are exact, so
    on large collections it takes a while. warnings, for administrators: what of the server's settings makes searches,
    writes or maintenance slower, each with a code and a message that says by how much. bytes, for them, too: the size
    of all tables and indexes, of all tenants; vector shards have their own.

    Maps to braid.status. Raise NotFoundError.
    """
    (found,) = await client._session.json("status", "collection => %(collection)s::text", collection=collection)
    return dict(found)


async def health(client: BaseClient, older_than: Duration = 3600.0) -> list[dict[str, Any]]:
    """Look for what is wrong, or could be better: a row for each finding; no rows mean that nothing was found.

    severity: problem, or advice. code: a word for each kind. subject: what it is about. finding: what was seen;
    reason: why it matters; command: what mends it, a command to a line, SQL unless it begins with pgbraid. older_than:
    since when something must wait or be open to count, such as a chunk without embedding or a transaction.
    Administrators and monitors see the server, roles and rights, and all tenants (the first 200 that have something
    waiting), what more than five have in common as one row; everybody else their tenant. Changes nothing and reads no
    large table whole.

    Maps to braid.health. Pass older_than as seconds, a text such as '5 minutes', or a timedelta. Raise
    InvalidArgumentError.
    """
    found: list[dict[str, Any]] = await client._session.json_rows(
        "health", "older_than => %(older_than)s::interval", older_than=as_interval(older_than, "older_than")
    )
    return found


async def maintain(client: BaseClient, time_budget: Duration | None = None) -> dict[str, Any]:
    """Do the upkeep that is due, for every tenant: merges the full-text index, moves vectors to where searches find
    them fastest, lists values of metadata, indexes attributes declared later, fills the outbox of a model change,
    frees the space of what was dropped, counts logged searches and deletes those kept for long enough, and note once a
    day how large everything is.

    Call it every few minutes, from pg_cron or by pgbraid maintain. time_budget: it ends at most a second after this. A
    large merge or the index of a vector shard cannot be interrupted, so one is begun only if it fits, by the speed
    measured before; else seconds_needed in the result tells the budget it takes. Null, as by default: ends after 10
    seconds, or after one such piece of work that takes longer. Safe at any time and from several sessions; a writer
    waits for it a second at most, or so. Tenants that have written nothing cost nothing. Return counts of what it did,
    warnings (one for each step that failed; the others are done) and complete (whether nothing is left). For
    administrators and services.

    Maps to braid.maintain. Pass time_budget as seconds, a text such as '5 minutes', or a timedelta. Raise
    InvalidArgumentError.
    """
    (found,) = await client._session.json(
        "maintain", "time_budget => %(time_budget)s::interval", time_budget=as_interval(time_budget, "time_budget")
    )
    return dict(found)


async def calibrate(client: BaseClient) -> dict[str, float]:
    """Measure on this machine how many vectors it takes for an HNSW index to be faster than a scan, and sets this for
    all collections.

    Before the first call it is 8000 vectors of 384 dimensions. Take about ten seconds; run it when little else runs.
    maintain() then makes or gives up vector shards to match. Return the measurements: exact_rows, the number;
    scan_ms_per_1000, milliseconds to scan 1000 vectors of 384 dimensions; search_ms, milliseconds of a search by the
    index. Only administrators may call it.

    Maps to braid.calibrate.
    """
    (found,) = await client._session.json("calibrate")
    return dict(found)


async def check_index(client: BaseClient, collection: str = "default") -> list[IndexProblem]:
    """Check the full-text index of the tenant's part of a collection, that of sparse terms, and the lists of metadata
    values: analyses its chunks again and compares.

    Each row is a difference; no rows mean that the index is right. problem: what is wrong. chunk_id, lexeme, detail:
    where; null if that does not apply. Take about as long as writing the chunks did, and makes nobody wait. Use it if
    you doubt search results, for example after a fault of the disk; braid.rebuild_index repairs what it finds.

    Maps to braid.check_index. Raise NotFoundError.
    """
    found = await client._session.records("check_index", "collection => %(collection)s::text", collection=collection)
    return [IndexProblem(*row) for row in found]


async def rebuild_index(client: BaseClient, collection: str = "default") -> int:
    """Build the full-text index of the tenant's part of a collection again, from its chunks, and that of their sparse
    terms.

    Searches go on with the old index; writers wait until the transaction ends. Use it if braid.check_index reports
    problems. Return the number of chunks indexed.

    Maps to braid.rebuild_index. Raise NotFoundError.
    """
    found = await client._session.value("rebuild_index", "collection => %(collection)s::text", collection=collection)
    return int(found)


async def rebuild_vector_index(client: BaseClient, collection: str = "default") -> bool:
    """Make maintain() build a new vector shard for the tenant's part of a collection.

    The old one serves searches until the new one is ready. Use it after many deletes, and to have the index recall
    measured anew that braid.status shows: it is that of the time when the shard was made. Return false if the tenant
    has no shard there, because its vectors are few enough to be scanned.

    Maps to braid.rebuild_vector_index. Raise NotFoundError.
    """
    found = await client._session.value(
        "rebuild_vector_index", "collection => %(collection)s::text", collection=collection
    )
    return bool(found)


async def measure_index_recall(
    client: BaseClient, collection: str = "default", *, query_count: int = 100, set_ef_search: bool = False
) -> dict[str, Any]:
    """Measure the index recall of the tenant's vector indexes in a collection, and how widely they should be searched.

    Index recall is the share of the nearest chunks, found by an exact scan, that the index finds. The queries are the
    stored vectors of queries, last used first, then the queries of query sets. If there are fewer than 30, stored
    vectors that were moved a little join them. query_count: the number of queries, 10 to 1000; fewer, but at least 10,
    where all together would compare more than 100 million vectors. set_ef_search: true lets searches of this tenant
    use the suggested widths, until the index is made anew; it takes 30 queries at least. Return a JSON object whose
    key indexes has an object for each vector shard; the array is empty if all vectors are compared anyway. Keys of an
    index are shard, embedding_model, vectors, is_indexed (false if the index is missing) and measured_at. Its queries
    counts them by source: stored vectors, query sets and a sample. Searches use the widths ef_search for the 10
    nearest, ef_search_100 for the 100 nearest and ef_search_fused for the 10 nearest in a hybrid search. A width of
    null means that they compare all vectors. index_recall_10 and index_recall_100 have the index recall at these
    widths, error_10 and error_100 their standard errors, and widths the same for other values. suggested_ef_search,
    suggested_ef_search_100 and suggested_ef_search_fused are the suggested widths; null means that the index is not
    good enough. is_set tells whether they are in use. It takes as long as the exact searches, and keeps nobody
    waiting. The result is kept for monitors.

    Maps to braid.measure_index_recall. Raise InvalidArgumentError, NotFoundError.
    """
    (found,) = await client._session.json(
        "measure_index_recall",
        """
        collection => %(collection)s::text, query_count => %(query_count)s::int,
        set_ef_search => %(set_ef_search)s::boolean
        """,
        collection=collection,
        query_count=query_count,
        set_ef_search=set_ef_search,
    )
    return dict(found)
