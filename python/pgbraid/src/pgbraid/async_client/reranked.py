"""Searches that a reranker ends: what becomes of the rows that it has put in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pgbraid._threads import in_thread
from pgbraid.arguments import Mode
from pgbraid.async_client.arrangement import arrange_results
from pgbraid.async_client.queries import RANKING, embedded_text, searched
from pgbraid.reranking import Reranking, candidates, rerank_rows, with_shape
from pgbraid.results import SearchResult, SearchResults

if TYPE_CHECKING:
    from pgbraid.async_client.base import BaseClient
    from pgbraid.reranker import Reranker
    from pgbraid.vectors import VectorLike

__all__ = ["best_rows", "candidates", "scored", "shaped_rows", "unlogged_search"]


async def best_rows(
    client: BaseClient,
    reranker: Reranker,
    query: str,
    rows: list[SearchResult],
    limit: int,
    collection: str,
    options: Mapping[str, Any] | None,
    shaping: Mapping[str, Any],
    timeout: float | None,
) -> Reranking:
    """The `limit` best rows in the reranker's order, shaped as `shaping` asks."""
    asked = await embedded_text(client, query, collection, options) if rows else query
    reranked = await in_thread(rerank_rows, reranker, asked, rows, timeout)
    return reranked._replace(rows=await shaped_rows(client, reranked.rows, limit, collection, shaping))


async def shaped_rows(
    client: BaseClient, rows: list[SearchResult], limit: int, collection: str, shaping: Mapping[str, Any]
) -> list[SearchResult]:
    """The `limit` best of rows that are in their order, shaped as `shaping` asks."""
    if not shaping:
        return rows[:limit]
    ids, scores = scored(rows)
    shaped = await arrange_results(client, ids, scores, limit, collection, options=shaping)
    return with_shape(rows, shaped)


async def unlogged_search(
    client: BaseClient,
    query: str | None,
    limit: int,
    mode: Mode,
    collection: str,
    embedding: VectorLike | None,
    options: Mapping[str, Any] | None,
    reranker: Reranker | None,
    rerank_count: int,
    timeout: float | None,
    /,
    **ranking: Any,
) -> SearchResults:
    """The rows that `search` gives, by braid.search_json: for searches that nobody can give feedback on."""
    match_count = limit
    shaping: Mapping[str, Any] = {}
    if reranker is not None:
        match_count, options, shaping = candidates(reranker, query, limit, rerank_count, timeout, options)
    (answer,), warnings = await searched(
        client,
        client._session.json,
        "search_json",
        f"query_text => %(query)s::text, match_count => %(match_count)s::int, {RANKING}",
        query,
        mode,
        collection,
        embedding,
        options,
        match_count=match_count,
        **ranking,
    )
    rows = [SearchResult.from_row(row) for row in answer["results"]]
    if reranker is None or not query:
        return SearchResults(rows, query=query, warnings=[*warnings, *answer["warnings"]])
    best = await best_rows(client, reranker, query, rows, limit, collection, options, shaping, timeout)
    return SearchResults(best.rows, query=query, warnings=[*warnings, *answer["warnings"], *best.warnings])


def scored(rows: Sequence[SearchResult]) -> tuple[list[int], list[float]]:
    """Return the chunks of rows and the scores that order them, the reranker's if it gave any."""
    scores = [row.score if row.rerank_score is None else row.rerank_score for row in rows]
    return [row.chunk_id for row in rows], scores
