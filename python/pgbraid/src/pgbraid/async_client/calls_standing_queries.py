"""Calls of standing queries. Made by tools/client_calls.py. DO NOT CHANGE."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pgbraid.arguments import Duration, OtherNames, as_interval, as_list, check_query, optional_json, row_count
from pgbraid.async_client.queries import embed_query
from pgbraid.search_options import SearchOptions
from pgbraid.stored import StandingQueryMatch
from pgbraid.vectors import VectorLike, to_vector

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from pgbraid.async_client.base import BaseClient


async def create_standing_query(
    client: BaseClient,
    name: str,
    query_text: str | None = None,
    query_embedding: VectorLike | None = None,
    filters: Mapping[str, Any] | None = None,
    collection: str = "default",
    *,
    match: str = "all",
    semantic_min_score: float | None = None,
    options: SearchOptions | Mapping[str, Any] | None = None,
) -> None:
    """Store a search that is matched with each document that is written from now on.

    name: the name of the query in the session's tenant and collection. query_text: a query of at most 64 words, in the
    language of full_text_search. query_embedding: a vector that is compared with the vectors of chunks when these are
    stored; the demands of query_text (+, - and quotation marks) hold here, too. filters: as in full_text_search.
    match: all (the default), any, or the least share of the words of query_text that a chunk must have, such as 75%.
    semantic_min_score: the least similarity of a chunk's vector; required with query_embedding. With it alone, the
    vector of query_text is taken, if the collection has a static embedder or stores it. options: language and
    operators, as in searches. Matches wait for claim_matches. A tenant may have 10000 standing queries in a
    collection. Raise 22023 for a query that nothing can match, and for a name that exists.

    Maps to braid.create_standing_query. Raise InvalidArgumentError, NotFoundError, LimitExceededError.
    """
    check_query(query_text)
    if query_embedding is None and semantic_min_score is not None and query_text:
        query_embedding, _, _ = await embed_query(client, query_text, collection, options, [])
    await client._session.value(
        "create_standing_query",
        """
        name => %(name)s::text, query_text => %(query_text)s::text, query_embedding => %(query_embedding)s,
        filters => %(filters)s::jsonb, collection => %(collection)s::text, match => %(match)s::text,
        semantic_min_score => %(semantic_min_score)s::float8, options => %(options)s::jsonb
        """,
        name=name,
        query_text=query_text,
        query_embedding=None if query_embedding is None else to_vector(query_embedding, "the query_embedding"),
        filters=optional_json(filters, "filters"),
        collection=collection,
        match=match,
        semantic_min_score=semantic_min_score,
        options=optional_json(options, "options"),
    )


async def drop_standing_query(client: BaseClient, name: str, collection: str = "default") -> bool:
    """Drop a standing query of the session's tenant, with its matches.

    Return true, or false if there is none of that name.

    Maps to braid.drop_standing_query. Raise NotFoundError for a collection that does not exist.
    """
    found = await client._session.value(
        "drop_standing_query",
        "name => %(name)s::text, collection => %(collection)s::text",
        name=name,
        collection=collection,
    )
    return bool(found)


async def list_standing_queries(
    client: BaseClient,
    collection: str = "default",
    *,
    match_count: int | None = None,
    after: str | None = None,
    **other_names: Unpack[OtherNames],
) -> list[dict[str, Any]]:
    """List the standing queries of the session's tenant in a collection, in the order of their names (by bytes).

    match_count: how many rows, 1 to 10000. after: the last name of the page before. embedding_model: the model of the
    vector; null without one. A vector of another model than the searches' model matches nothing.

    Maps to braid.list_standing_queries. `match_count`, or `limit`, is 100 by default. Raise InvalidArgumentError,
    NotFoundError.
    """
    match_count = row_count(match_count, other_names, 100)
    found: list[dict[str, Any]] = await client._session.json_rows(
        "list_standing_queries",
        "collection => %(collection)s::text, match_count => %(match_count)s::int, after => %(after)s::text",
        collection=collection,
        match_count=match_count,
        after=after,
    )
    return found


async def claim_matches(
    client: BaseClient,
    match_count: int | None = None,
    lease: Duration = 300.0,
    collection: str = "default",
    **other_names: Unpack[OtherNames],
) -> list[StandingQueryMatch]:
    """Claim documents that have matched standing queries since, oldest first.

    match_count: how many to claim, 1 to 10000. lease: how long nobody else gets these matches. Answer with
    acknowledge_matches; a match that is not acknowledged in time is claimed again, so each comes at least once. name:
    the standing query. kind: full_text or semantic. chunk_id, chunk_index: the chunk of the document that matched.
    Documents that were deleted or replaced or have expired since are left out, and so are documents that the session
    may not read.

    Maps to braid.claim_matches. `match_count`, or `limit`, is 100 by default. Raise InvalidArgumentError,
    NotFoundError.
    """
    match_count = row_count(match_count, other_names, 100)
    found = await client._session.json_rows(
        "claim_matches",
        "match_count => %(match_count)s::int, lease => %(lease)s::interval, collection => %(collection)s::text",
        match_count=match_count,
        lease=as_interval(lease, "lease"),
        collection=collection,
    )
    return [StandingQueryMatch.from_row(row) for row in found]


async def acknowledge_matches(client: BaseClient, match_ids: Sequence[int], collection: str = "default") -> int:
    """Delete matches that are dealt with, so that nobody gets them again.

    match_ids: the ids that claim_matches returned, at most 10000. Return how many were deleted.

    Maps to braid.acknowledge_matches. Raise InvalidArgumentError, NotFoundError, LimitExceededError.
    """
    found = await client._session.value(
        "acknowledge_matches",
        "match_ids => %(match_ids)s::bigint[], collection => %(collection)s::text",
        match_ids=as_list(match_ids, "match_ids"),
        collection=collection,
    )
    return int(found)
