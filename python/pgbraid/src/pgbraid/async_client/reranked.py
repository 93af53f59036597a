"""Shape the rows of a search that a reranker has ordered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pgbraid._threads import in_thread
from pgbraid.arguments import Mode
from pgbraid.async_client.calls_search import arrange_results, fuse
from pgbraid.async_client.queries import RANKING, embedded_text, searched
from pgbraid.reranking import (
    candidates,
    in_blended_order,
    lists_to_blend,
    rerank_results,
    with_shape,
)
from pgbraid.results import SearchResult, SearchResults, results_of

if TYPE_CHECKING:
    from pgbraid.async_client.base import BaseClient
    from pgbraid.reranker import Reranker
    from pgbraid.vectors import VectorLike


async def best_results(
    client: BaseClient,
    found: SearchResults,
    reranker: Reranker,
    match_count: int,
    collection: str,
    options: Mapping[str, Any] | None,
    shaping: Mapping[str, Any],
    blend: float,
    timeout: float | None,
) -> SearchResults:
    """Return the `match_count` best rows in the blended order, grouped, collapsed and otherwise arranged by the
    options in `shaping`."""
    query = found.query or ""
    asked = await embedded_text(client, query, collection, options) if found else query
    ranked = await in_thread(rerank_results, reranker, asked, found, timeout)
    return await shaped(client, await blended(client, ranked, blend), match_count, collection, shaping)


async def blended(client: BaseClient, found: SearchResults, blend: float) -> SearchResults:
    """Return the rows, which have rerank scores, in the order that blends the scores of the search and the reranker.
    Rows that the reranker could not score keep their order."""
    if not found or "rerank" not in found.stats:
        return found
    fused = await fuse(client, lists_to_blend(found, blend), fusion="convex", match_count=len(found))
    return in_blended_order(found, fused, blend)


async def shaped(
    client: BaseClient, found: SearchResults, match_count: int, collection: str, shaping: Mapping[str, Any]
) -> SearchResults:
    """Return the first `match_count` of the ordered rows, grouped, collapsed and otherwise arranged by the options
    in `shaping`."""
    rows = found[:match_count]
    if shaping:
        arranged = await arrange_results(client, *scored(found), match_count, collection, options=shaping)
        rows = with_shape(found, arranged)
    return SearchResults(rows, query=found.query, stats=found.stats, warnings=found.warnings)


async def unlogged_search(
    client: BaseClient,
    query: str | None,
    match_count: int,
    mode: Mode,
    collection: str,
    embedding: VectorLike | None,
    options: Mapping[str, Any] | None,
    reranker: Reranker | None,
    rerank_count: int,
    blend: float,
    timeout: float | None,
    /,
    **ranking: Any,
) -> SearchResults:
    """Return the rows that `search` finds, by braid.search_json: for searches without feedback, which need no log."""
    count = match_count
    shaping: Mapping[str, Any] = {}
    if reranker is not None:
        count, options, shaping = candidates(reranker, query, match_count, rerank_count, blend, timeout, options)
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
        match_count=count,
        **ranking,
    )
    found = results_of(answer, query, warnings)
    if reranker is None:
        return found
    return await best_results(client, found, reranker, match_count, collection, options, shaping, blend, timeout)


def scored(rows: Sequence[SearchResult]) -> tuple[list[int], list[float]]:
    """Return the chunks of rows and the scores that order them: the blended ones if present."""
    scores = [row.score if row.blended_score is None else row.blended_score for row in rows]
    return [row.chunk_id for row in rows], scores
