# Generated from async_client/search.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Searching, similar chunks and documents, and what the chunks found have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pgbraid.arguments import Mode, Vector, optional_json
from pgbraid.client.arrangement import Arrangement
from pgbraid.client.queries import RANKING
from pgbraid.results import FacetValue, SearchResult, SearchResults

if TYPE_CHECKING:
    from pgbraid.rerankers.protocol import Reranker

__all__ = ["Search"]


class Search(Arrangement):
    def search(
        self,
        query: str | None = None,
        limit: int | None = None,
        mode: Mode = "hybrid",
        filters: Mapping[str, Any] | None = None,
        collection: str = "default",
        *,
        embedding: Vector | None = None,
        full_text_weight: float | None = None,
        semantic_weight: float | None = None,
        fusion: str | None = None,
        rrf_k: float | None = None,
        candidate_count: int | None = None,
        min_score: float | None = None,
        match: str = "any",
        options: Mapping[str, Any] | None = None,
        rerank: Reranker | None = None,
        rerank_count: int = 20,
        rerank_timeout: float | None = 10.0,
    ) -> SearchResults:
        """Search. Maps to braid.search_json.

        `limit` is 10 by default, 5 with `rerank`.

        `mode` says which legs run. `embedding` is the query's vector, if you have it; else the embedder makes
        it of the query without its operators. If that fails, a hybrid search gives what full text finds and
        warns with the code `embedding_unavailable`; a semantic one raises EmbeddingError. Weights, fusion (rrf,
        convex, dbsf, max) and rrf_k default to the collection's. `match` is any, all, or the least share of the
        query's words, such as 75%. `options` are snippet, correct, operators, explain, full_text_min_score,
        semantic_min_score, normalisation, boosts, rerank and statistics_scope; with `{"operators": False}` the
        query is plain words, and embedded as it is. Boosts: `{"boosts": [{"recency": {"half_life": "30 days"}}]}`.
        Others shape the rows: group_by, group_size, group_score, collapse, diversify, context_before,
        context_after and cursor, as the README says.

        `rerank` scores the first `rerank_count` rows (`limit` if that is more) by title, speaker and content; then the
        rows are shaped as the options ask, and the best given. If it fails, gives anything but a finite number for
        each, or takes more than `rerank_timeout` seconds (None: no limit), rows stay in the order of `score` and there
        is a warning with the code `reranker_unavailable`. `min_score` is of `score`. A reranker that is slow to load
        has `warm_up()`.

        Raises InvalidArgumentError, DimensionMismatchError, NotFoundError.
        """
        if limit is None:
            limit = 10 if rerank is None else 5
        match_count = limit
        shaping: Mapping[str, Any] = {}
        if rerank is not None:
            # Imported when used: a search starts cold.
            from pgbraid import reranking

            reranking.check_reranking(rerank, query, limit, rerank_count, rerank_timeout)
            match_count = max(limit, rerank_count)
            options, shaping = reranking.split_options(options)
        (answer,), warnings = self._searched(
            f"braid.search_json(query_text => %(query)s::text, match_count => %(match_count)s::int, {RANKING})::text",
            query,
            mode,
            collection,
            embedding,
            options,
            match_count=match_count,
            filters=optional_json(filters, "filters"),
            full_text_weight=full_text_weight,
            semantic_weight=semantic_weight,
            fusion=fusion,
            rrf_k=rrf_k,
            candidate_count=candidate_count,
            min_score=min_score,
            match=match,
        )
        rows = [SearchResult.from_row(row) for row in answer["results"]]
        stats = answer["stats"]
        warnings += answer["warnings"]
        if rerank is not None and query:
            reranked = reranking.rerank_rows(rerank, query, rows, options, rerank_timeout)
            rows = reranked.rows[:limit]
            if shaping:
                scores = [row.score if row.rerank_score is None else row.rerank_score for row in reranked.rows]
                ids = [row.chunk_id for row in reranked.rows]
                shaped = self.arrange_results(ids, scores, limit, collection, options=shaping)
                rows = reranking.with_shape(reranked.rows, shaped)
            stats = {**stats, **reranked.stats}
            warnings += reranked.warnings
        return SearchResults(rows, query=query, stats=stats, warnings=warnings)

    def similar_chunks(
        self,
        chunk_id: int,
        limit: int = 10,
        filters: Mapping[str, Any] | None = None,
        *,
        min_score: float | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> SearchResults:
        """The chunks of the same collection whose vectors are nearest to a chunk's, which is not among them. Maps to
        braid.similar_chunks.

        Raises NotFoundError, and InvalidArgumentError for a chunk that is not embedded yet.
        """
        rows = self._json(
            """
            to_jsonb(braid.similar_chunks(
              chunk_id => %(chunk_id)s::bigint, match_count => %(limit)s::int, filters => %(filters)s::jsonb,
              min_score => %(min_score)s::float8, options => %(options)s::jsonb))::text
            """,
            chunk_id=chunk_id,
            limit=limit,
            filters=optional_json(filters, "filters"),
            min_score=min_score,
            options=optional_json(options, "options"),
        )
        return SearchResults([SearchResult.from_row(row) for row in rows])

    def similar_documents(
        self,
        external_id: str,
        limit: int = 10,
        filters: Mapping[str, Any] | None = None,
        collection: str = "default",
        *,
        min_score: float | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> SearchResults:
        """The documents most like one of the collection, each by its best chunk: the nearest to the mean of the
        document's vectors. Maps to braid.similar_documents.

        Raises NotFoundError, and InvalidArgumentError for a document that is not embedded yet.
        """
        rows = self._json(
            """
            to_jsonb(braid.similar_documents(
              external_id => %(external_id)s::text, match_count => %(limit)s::int, filters => %(filters)s::jsonb,
              collection => %(collection)s::text, min_score => %(min_score)s::float8,
              options => %(options)s::jsonb))::text
            """,
            external_id=external_id,
            limit=limit,
            filters=optional_json(filters, "filters"),
            collection=collection,
            min_score=min_score,
            options=optional_json(options, "options"),
        )
        return SearchResults([SearchResult.from_row(row) for row in rows])

    def facets(
        self,
        keys: Sequence[str],
        query: str | None = None,
        *,
        filters: Mapping[str, Any] | None = None,
        collection: str = "default",
        match: str = "any",
        value_count: int = 10,
        options: Mapping[str, Any] | None = None,
    ) -> dict[str, list[FacetValue]]:
        """The commonest values of columns and metadata keys, with the number of chunks that have each, over all chunks
        that a full-text search for the query finds; without a query, over all that the filters match. Maps to
        braid.facets.

        The answer has every key, in order; for each up to `value_count` values, the commonest first. Each element of a
        list counts as a value. `match` and `options` are those of `search`.

        Raises InvalidArgumentError, NotFoundError.
        """
        rows = self._json(
            """
            to_jsonb(braid.facets(
              keys => %(keys)s::text[], query_text => %(query)s::text, filters => %(filters)s::jsonb,
              collection => %(collection)s::text, match => %(match)s::text, value_count => %(value_count)s::int,
              options => %(options)s::jsonb))::text
            """,
            keys=list(keys),
            query=query,
            filters=optional_json(filters, "filters"),
            collection=collection,
            match=match,
            value_count=value_count,
            options=optional_json(options, "options"),
        )
        found: dict[str, list[FacetValue]] = {key: [] for key in keys}
        for row in rows:
            found[row["key"]].append(FacetValue(row["value"], row["count"]))
        return found

    def highlight(
        self,
        chunk_id: int,
        query: str,
        *,
        start_tag: str = "<mark>",
        stop_tag: str = "</mark>",
        fragment_count: int | None = 2,
        fragment_words: int = 30,
        fragment_separator: str = " … ",
    ) -> str:
        """The passages of a chunk that match a query best, with the matched words between the tags. Maps to
        braid.highlight.

        `chunk_id` is a search result's. The text is escaped for HTML, tags and separator are inserted as given.
        There are up to `fragment_count` passages (None: the whole text) of `fragment_words` words; a character
        of a script without spaces counts as a word. Words that the query excludes are not marked.

        Raises NotFoundError, InvalidArgumentError.
        """
        return str(
            self._value(
                """
                braid.highlight(
                  chunk_id => %(chunk_id)s::bigint, query_text => %(query)s::text,
                  start_tag => %(start_tag)s::text, stop_tag => %(stop_tag)s::text,
                  fragment_count => %(fragment_count)s::int, fragment_words => %(fragment_words)s::int,
                  fragment_separator => %(fragment_separator)s::text)
                """,
                chunk_id=chunk_id,
                query=query,
                start_tag=start_tag,
                stop_tag=stop_tag,
                fragment_count=fragment_count,
                fragment_words=fragment_words,
                fragment_separator=fragment_separator,
            )
        )
