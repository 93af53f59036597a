"""Run searches: plain, reranked, or for several queries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pgbraid.arguments import Mode, OtherNames, row_count
from pgbraid.async_client.queries import RANKING, ranked, searched
from pgbraid.results import SearchResults, results_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from pgbraid.async_client.base import BaseClient
    from pgbraid.expanders import Expander
    from pgbraid.reranker import Reranker
    from pgbraid.search_options import SearchOptions
    from pgbraid.vectors import VectorLike


async def search(
    client: BaseClient,
    query: str | Sequence[str] | None = None,
    match_count: int | None = None,
    mode: Mode = "hybrid",
    filters: Mapping[str, Any] | None = None,
    collection: str = "default",
    *,
    embedding: VectorLike | None = None,
    full_text_weight: float | None = None,
    semantic_weight: float | None = None,
    fusion: str | None = None,
    rrf_k: float | None = None,
    candidate_count: int | None = None,
    min_score: float | None = None,
    match: str = "any",
    options: SearchOptions | Mapping[str, Any] | None = None,
    late_interaction: bool | Mapping[str, Any] | None = False,
    expand: Expander | Callable[[str], Sequence[str]] | None = None,
    reranker: Reranker | None = None,
    rerank_count: int = 20,
    blend: float = 0.2,
    rerank_timeout: float | None = 10.0,
    **other_names: Unpack[OtherNames],
) -> SearchResults:
    """Search by full text and by meaning. Maps to braid.logged_search; pass `stats["search_id"]` of a logged search to
    `record_feedback`. `match_count`, or `limit`, is 10 by default, 5 with `reranker`.

    `mode` says which legs run. `embedding` is the query's vector, if you have it, in any form that `add_documents`
    takes; otherwise the embedder makes it from the query without its operators. If that fails, a hybrid search returns
    full-text results with the warning `embedding_unavailable`; a semantic one raises EmbeddingError. Weights, fusion
    (rrf, convex, dbsf, max) and rrf_k default to the collection's. `match` is any, all, or the least share of the
    query's words, such as 75%. `options` are snippet, typos, operators, explain, min_scores, min_relevance, ranking,
    boosts and rank_by; `{"operators": False}` takes the query as plain words and embeds it unchanged. Boosts look like
    `{"boosts": [{"recency": {"half_life": "30 days"}}]}`. Options that shape the rows are group_by, collapse,
    diversify, context and cursor: see docs/guide/grouping.md.

    `late_interaction` ranks the best candidates by their stored token vectors: see docs/guide/rerank-in-sql.md. It is
    True, or a dict with candidates and weight. The embedder makes the query's token vectors; if it fails, there is a
    warning with the code `late_interaction_unavailable`.

    `reranker` scores the first `rerank_count` rows (`match_count` if that is more) by title, speaker and content. Then
    rows are ordered by `blended_score`: by the scores of the search, and of the reranker with the weight `blend`. 1
    takes the reranker's order alone, which often harms. `blended_parts` says what each of the two adds. The rows are
    shaped as the options ask, and the best returned. A reranker fails if it raises, returns anything but a finite
    number for each row, or takes more than `rerank_timeout` seconds (None: no limit). Then rows stay in the order of
    `score`, with the warning `reranker_unavailable`. `min_score` applies to `score`. A reranker that is slow to load
    has `warm_up()`.

    A list of queries, as in `search(["database", "PostgreSQL"])`, is searched as one, by `multi_search`. `expand` makes
    further queries from one: a function, or pgbraid.expanders.ChatExpander. If it fails, only the query itself is
    searched, with the warning `expansion_unavailable`. Neither can be combined with `embedding`, `late_interaction`, or
    `reranker`.

    Raise InvalidArgumentError, DimensionMismatchError, NotFoundError.
    """
    match_count = row_count(match_count, other_names, 10 if reranker is None else 5)
    if expand is not None or not (query is None or isinstance(query, str)):
        from pgbraid.async_client.multi_searching import searched_together

        return await searched_together(
            client, query, match_count, mode, filters, collection, embedding, late_interaction, reranker,
            expand=expand, full_text_weight=full_text_weight, semantic_weight=semantic_weight, fusion=fusion,
            rrf_k=rrf_k, candidate_count=candidate_count, min_score=min_score, match=match, options=options,
        )  # fmt: skip
    client = client._for_one_call()
    count = match_count
    shaping: Mapping[str, Any] = {}
    if reranker is not None:
        # Imported here, so that a search starts fast in a new process.
        from pgbraid.async_client import reranked
        from pgbraid.reranking import candidates

        count, options, shaping = candidates(reranker, query, match_count, rerank_count, blend, rerank_timeout, options)
    (answer,), warnings = await searched(
        client,
        client._session.json,
        "logged_search",
        f"query_text => %(query)s::text, match_count => %(match_count)s::int, {RANKING}",
        query,
        mode,
        collection,
        embedding,
        options,
        late_interaction,
        match_count=count,
        **ranked(filters, full_text_weight, semantic_weight, fusion, rrf_k, candidate_count, min_score, match),
    )
    found = results_of(answer, query, warnings)
    if reranker is None:
        return found
    return await reranked.best_results(
        client, found, reranker, match_count, collection, options, shaping, blend, rerank_timeout
    )
