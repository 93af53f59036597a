"""Where scores come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pgbraid.arguments import Mode, as_list, check_query
from pgbraid.async_client.queries import RANKING, ranked, searched
from pgbraid.async_client.session import TENANT
from pgbraid.explanation import Explanation, ScorePart

if TYPE_CHECKING:
    from pgbraid.async_client.base import BaseClient
    from pgbraid.search_options import SearchOptions
    from pgbraid.vectors import VectorLike

__all__ = ["explain_score", "explain_search"]


async def explain_search(
    client: BaseClient,
    query: str | None = None,
    limit: int = 10,
    mode: Mode = "hybrid",
    filters: Mapping[str, Any] | None = None,
    collection: str = "default",
    *,
    external_id: str | None = None,
    embedding: VectorLike | None = None,
    full_text_weight: float | None = None,
    semantic_weight: float | None = None,
    fusion: str | None = None,
    rrf_k: float | None = None,
    candidate_count: int | None = None,
    min_score: float | None = None,
    match: str = "any",
    options: SearchOptions | Mapping[str, Any] | None = None,
) -> Explanation:
    """A search, explained: where each score comes from, and with `external_id` what became of that document.

    Maps to braid.explain_search; arguments as in `search`.

    Raises what `search` raises.
    """
    (answer,), warnings = await searched(
        client,
        client._session.json,
        "explain_search",
        f"""
        query_text => %(query)s::text, match_count => %(limit)s::int, external_id => %(external_id)s::text, {RANKING}
        """,
        query,
        mode,
        collection,
        embedding,
        options,
        limit=limit,
        external_id=external_id,
        **ranked(filters, full_text_weight, semantic_weight, fusion, rrf_k, candidate_count, min_score, match),
    )
    return Explanation.from_json({**answer, "warnings": [*warnings, *answer["warnings"]]})


async def explain_score(
    client: BaseClient,
    query: str,
    chunk_ids: Sequence[int],
    *,
    match: str = "any",
    collection: str = "default",
) -> list[ScorePart]:
    """What each lexeme of a query adds to the BM25 scores of chunks. Maps to braid.explain_score.

    `chunk_ids` are search results'. A chunk's contributions add up to its full_text_score; one that lacks what
    the query demands has none.

    Raises NotFoundError, InvalidArgumentError.
    """
    check_query(query)
    rows = await client._session.rows(
        "explain_score",
        f"""
        select (e.part).*
        from (
          select braid.explain_score(query_text => %(query)s::text, chunk_ids => %(chunk_ids)s::bigint[],
                                     match => %(match)s::text, collection => %(collection)s::text)
          from {TENANT}
        ) e (part)
        """,
        query=query,
        chunk_ids=as_list(chunk_ids, "chunk_ids"),
        match=match,
        collection=collection,
    )
    return [ScorePart(*row) for row in rows]
