"""Assemble passages for a language model within its token budget."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from pgbraid.arguments import Mode, OtherNames, row_count
from pgbraid.async_client.calls_search import arrange_context
from pgbraid.async_client.queries import RANKING, ranked, searched
from pgbraid.contexts import Context, Passage

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from pgbraid.async_client.base import BaseClient
    from pgbraid.reranker import Reranker
    from pgbraid.search_options import SearchOptions
    from pgbraid.vectors import VectorLike


async def assemble_context(
    client: BaseClient,
    query: str | None = None,
    token_budget: int = 2000,
    match_count: int | None = None,
    mode: Mode = "hybrid",
    filters: Mapping[str, Any] | None = None,
    collection: str = "default",
    *,
    sort: Literal["score", "document"] = "score",
    embedding: VectorLike | None = None,
    full_text_weight: float | None = None,
    semantic_weight: float | None = None,
    fusion: str | None = None,
    rrf_k: float | None = None,
    candidate_count: int | None = None,
    min_score: float | None = None,
    match: str = "any",
    options: SearchOptions | Mapping[str, Any] | None = None,
    reranker: Reranker | None = None,
    rerank_count: int = 20,
    blend: float = 0.2,
    rerank_timeout: float | None = 10.0,
    **other_names: Unpack[OtherNames],
) -> Context:
    """Return numbered passages of the best rows that fit a token budget, for a language model. Maps to
    braid.assemble_context. `match_count`, or `limit`, is the number of rows to choose from, 50 by default.

    Passages come best first, or in reading order with `sort="document"`. Adjacent chunks become one passage; the option
    context adds neighbours. The other arguments are the same as in `search`. `str()` returns the text with citations.

    With `reranker`, passages follow the blended order, and their `score` is the blended score; see `search`.
    The reranker scores `rerank_count` rows, or `match_count` if that is more.

    If no passage fits, return the beginning of the best. Raise InvalidArgumentError, DimensionMismatchError,
    NotFoundError.
    """
    client = client._for_one_call()
    match_count = row_count(match_count, other_names, 50)
    if reranker is not None:
        from pgbraid.async_client import reranked
        from pgbraid.reranking import candidates

        count, finding, shaping = candidates(reranker, query, match_count, rerank_count, blend, rerank_timeout, options)
        found = await reranked.unlogged_search(
            client,
            query,
            count,
            mode,
            collection,
            embedding,
            finding,
            reranker,
            count,
            blend,
            rerank_timeout,
            **ranked(filters, full_text_weight, semantic_weight, fusion, rrf_k, candidate_count, min_score, match),
        )
        context = await arrange_context(
            client, *reranked.scored(found), token_budget, match_count, collection, sort=sort, options=shaping
        )
        return Context(context.passages, found.warnings)
    rows, warnings = await searched(
        client,
        client._session.json_rows,
        "assemble_context",
        f"""
        query_text => %(query)s::text, token_budget => %(token_budget)s::int, match_count => %(match_count)s::int,
        sort => %(sort)s::text, {RANKING}
        """,
        query,
        mode,
        collection,
        embedding,
        options,
        token_budget=token_budget,
        match_count=match_count,
        sort=sort,
        **ranked(filters, full_text_weight, semantic_weight, fusion, rrf_k, candidate_count, min_score, match),
    )
    return Context([Passage(**row) for row in rows], warnings)
