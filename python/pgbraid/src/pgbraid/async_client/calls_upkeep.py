"""Calls of upkeep. Made by tools/client_calls.py. DO NOT CHANGE."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pgbraid.arguments import Duration, as_interval
from pgbraid.stored import IndexProblem

if TYPE_CHECKING:
    from pgbraid.async_client.base import BaseClient


async def status(client: BaseClient, collection: str | None = None) -> dict[str, Any]:
    """Return as JSON the installed version and parts, the session's tenant, and what this tenant has in each
    collection.

    collection: the collection to show; null, the default, shows all. Counts are exact, so large collections take a
    while. Each collection has these keys. documents, chunks: how many are stored. pending_embeddings: how many chunks
    wait for an embedding. failed_embeddings: how many of them have failed. segments, tombstones: how many the text
    index has. chunks_with_sparse_terms: how many chunks have sparse terms. logged_searches: how many searches are
    logged. vectors: how many are scanned, and the vector shards with their measured index recall. model_change: how
    far it is, or null. Administrators also see two keys about the whole server. warnings: settings of the server that
    make searches, writes or maintenance slower, each with a code and a message that says by how much. bytes: the size
    of all tables and indexes together, for all tenants; each vector shard has its own size.

    Maps to braid.status. Raise NotFoundError.
    """
    (found,) = await client._session.json("status", "collection => %(collection)s::text", collection=collection)
    return dict(found)


async def health(client: BaseClient, older_than: Duration = 3600.0) -> list[dict[str, Any]]:
    """Look for what is wrong, or could be better: a row for each finding; no rows mean that nothing was found.

    older_than: how long something must wait or be open to count, such as a chunk without an embedding or a
    transaction. severity: problem if something is wrong, else advice. code: a word that names the kind of finding.
    subject: what the finding is about. finding: what was seen. reason: why it matters. command: what repairs it, a
    command to a line, in SQL unless it begins with pgbraid. Administrators and monitors see the server, roles and
    rights, and all tenants (the first 200 that have something waiting). A finding that more than five tenants share is
    one row. Other callers see their own tenant. The call changes nothing, and reads no large table whole.

    Maps to braid.health. Pass older_than as seconds, a text such as '5 minutes', or a timedelta. Raise
    InvalidArgumentError.
    """
    found: list[dict[str, Any]] = await client._session.json_rows(
        "health", "older_than => %(older_than)s::interval", older_than=as_interval(older_than, "older_than")
    )
    return found


async def maintain(client: BaseClient, time_budget: Duration | None = None) -> dict[str, Any]:
    """Do the upkeep that is due, for every tenant: merge segments, move vectors, index attributes, free space.

    It merges the full-text index, moves vectors to where searches find them fastest, lists metadata values, and
    indexes attributes declared later. It fills the outbox of a model change, and frees the space of what was dropped.
    It counts logged searches and deletes old ones, and notes once a day how large everything is. Call it every few
    minutes, from pg_cron or by pgbraid maintain. It is safe at any time and from several sessions; a writer waits for
    it about a second at most. Tenants that have written nothing cost nothing. time_budget: how long it may take; it
    ends at most a second later. Null, the default, ends after 10 seconds, or after one merge or index that takes
    longer. A large merge, or the index of a vector shard, cannot be interrupted, so it begins only if it fits. If it
    does not fit, seconds_needed in the result tells the budget it takes, within a half. When an index has waited as
    long as that, a call with a budget of 10 seconds or more builds it, even if the call then takes longer. Return
    counts of what it did, warnings (one for each step that failed; the others are done) and complete (whether nothing
    is left). Administrators and services may call it.

    Maps to braid.maintain. Pass time_budget as seconds, a text such as '5 minutes', or a timedelta. Raise
    InvalidArgumentError.
    """
    (found,) = await client._session.json(
        "maintain", "time_budget => %(time_budget)s::interval", time_budget=as_interval(time_budget, "time_budget")
    )
    return dict(found)


async def calibrate(client: BaseClient) -> dict[str, float]:
    """Measure on this machine from how many vectors on an HNSW index is faster than a scan, and set this number for
    all collections.

    Before the first call, the number is 8000, for vectors of 384 dimensions. A call takes about ten seconds; run it
    when little else runs. maintain() then makes or gives up vector shards to match. Return the measurements as a JSON
    object. exact_rows: the number that was set. scan_ms_per_1000: the milliseconds that a scan of 1000 vectors of 384
    dimensions takes. search_ms: the milliseconds that a search by the index takes. Only administrators may call it.

    Maps to braid.calibrate.
    """
    (found,) = await client._session.json("calibrate")
    return dict(found)


async def check_index(client: BaseClient, collection: str = "default") -> list[IndexProblem]:
    """Check the full-text index of the tenant's part of a collection, its index of sparse terms and its lists of
    metadata values: analyse its chunks again and compare.

    Each row is a difference; no rows mean that the index is right. problem: what is wrong. chunk_id, lexeme, detail:
    where it is wrong; null if that does not apply. It takes about as long as writing the chunks did, and makes nobody
    wait. Use it if you doubt search results, for example after a fault of the disk; braid.rebuild_index repairs what
    it finds.

    Maps to braid.check_index. Raise NotFoundError.
    """
    found = await client._session.records("check_index", "collection => %(collection)s::text", collection=collection)
    return [IndexProblem(*row) for row in found]


async def rebuild_index(client: BaseClient, collection: str = "default") -> int:
    """Build the full-text index of the tenant's part of a collection, and its index of sparse terms, again from its
    chunks.

    Searches go on with the old index; writers wait until the transaction ends. Use it if braid.check_index reports
    problems. Return the number of chunks indexed.

    Maps to braid.rebuild_index. Raise NotFoundError.
    """
    found = await client._session.value("rebuild_index", "collection => %(collection)s::text", collection=collection)
    return int(found)


async def rebuild_vector_index(client: BaseClient, collection: str = "default") -> bool:
    """Make maintain() build a new vector shard for the tenant's part of a collection.

    The old shard serves searches until the new one is ready. Use it after many deletes, or to renew the index recall
    that braid.status shows, which was measured when the shard was made. Return false if the tenant has no shard there,
    because its vectors are few enough to be scanned.

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
    vectors that were moved a little join them. query_count: how many queries to use, 10 to 1000; fewer, but at least
    10, if all together would compare more than 100 million vectors. set_ef_search: true lets searches of this tenant
    use the suggested widths, until the index is rebuilt; it takes 30 queries at least. Return a JSON object whose key
    indexes is an array with an object for each vector shard. The array is empty if all vectors are compared anyway.
    Each object has these keys. shard, embedding_model, vectors: the shard's id, its model, and how many vectors it
    has. is_indexed: false if the index is missing. measured_at: when this was measured. queries: how many came from
    each source: stored vectors, query sets and a sample. ef_search: the width that searches use for the 10 nearest
    chunks; null, as for the other widths, means that they compare all vectors. ef_search_100: the width used for the
    100 nearest. ef_search_fused: the width used for the 10 nearest in a hybrid search. far_distance: if the tenth
    vector found is farther, the search is repeated with far_ef_search or, if that is null, all vectors are compared.
    far_share: the share of the queries searched again. index_recall_10, index_recall_100: the index recall of such
    searches for the 10 and the 100 nearest. error_10, error_100: the standard errors of these, as measured. widths:
    the index recall of single searches at other widths. suggested_ef_search, suggested_ef_search_100,
    suggested_ef_search_fused: the suggested widths; null means that the index is not good enough.
    suggested_far_distance, suggested_far_ef_search: the suggested values. is_set: whether the suggested values are in
    use. The call takes as long as the exact searches, and keeps nobody waiting. The result is kept for monitors.

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
