# Generated from async_client/arrangement.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Rows in another order or form: by scores of your own, and as passages for a language model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pgbraid.arguments import Mode, Vector, optional_json
from pgbraid.client.queries import RANKING, Queries
from pgbraid.results import Context, Passage, SearchResult, SearchResults

__all__ = ["Arrangement"]


class Arrangement(Queries):
    def arrange_results(
        self,
        chunk_ids: Sequence[int],
        scores: Sequence[float],
        limit: int = 10,
        collection: str = "default",
        *,
        options: Mapping[str, Any] | None = None,
    ) -> SearchResults:
        """Rows for chunks with scores of your own, such as a reranker's: highest score first, shaped as the options
        group_by, collapse, diversify, context_before, context_after and cursor of `search` ask for. Maps to
        braid.arrange_results.

        Raises InvalidArgumentError, and NotFoundError for a chunk that does not exist.
        """
        rows = self._json(
            """
            to_jsonb(braid.arrange_results(
              chunk_ids => %(chunk_ids)s::bigint[], scores => %(scores)s::float8[], match_count => %(limit)s::int,
              collection => %(collection)s::text, options => %(options)s::jsonb))::text
            """,
            chunk_ids=list(chunk_ids),
            scores=[float(score) for score in scores],
            limit=limit,
            collection=collection,
            options=optional_json(options, "options"),
        )
        return SearchResults([SearchResult.from_row(row) for row in rows])

    def assemble_context(
        self,
        query: str | None = None,
        token_budget: int = 2000,
        limit: int = 50,
        mode: Mode = "hybrid",
        filters: Mapping[str, Any] | None = None,
        collection: str = "default",
        *,
        sort: Literal["score", "document"] = "score",
        embedding: Vector | None = None,
        full_text_weight: float | None = None,
        semantic_weight: float | None = None,
        fusion: str | None = None,
        rrf_k: float | None = None,
        candidate_count: int | None = None,
        min_score: float | None = None,
        match: str = "any",
        options: Mapping[str, Any] | None = None,
    ) -> Context:
        """What to give a language model: the passages of the `limit` best rows that fit the budget, numbered. Maps to
        braid.assemble_context.

        Passages come best first, or with `sort="document"` as they would be read. Chunks that touch are one passage;
        the options context_before and context_after add neighbours. The other arguments are those of `search`.
        `str()` of the answer is the text with its citations.

        Raises InvalidArgumentError, also for a budget smaller than any passage, DimensionMismatchError, NotFoundError.
        """
        rows, warnings = self._searched(
            f"""
            to_jsonb(braid.assemble_context(
              query_text => %(query)s::text, token_budget => %(token_budget)s::int, match_count => %(limit)s::int,
              sort => %(sort)s::text, {RANKING}))::text
            """,
            query,
            mode,
            collection,
            embedding,
            options,
            token_budget=token_budget,
            limit=limit,
            sort=sort,
            filters=optional_json(filters, "filters"),
            full_text_weight=full_text_weight,
            semantic_weight=semantic_weight,
            fusion=fusion,
            rrf_k=rrf_k,
            candidate_count=candidate_count,
            min_score=min_score,
            match=match,
        )
        passages = sorted((Passage(**row) for row in rows), key=lambda passage: passage.citation)
        return Context(passages, warnings)
