"""Calls of search. Made by tools/client_calls.py. DO NOT CHANGE."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from pgbraid.arguments import OtherNames, as_list, as_numbers, check_query, optional_json, row_count, to_json
from pgbraid.contexts import Context, Passage
from pgbraid.explanation import ScorePart
from pgbraid.results import SearchResult, SearchResults
from pgbraid.search_options import SearchOptions
from pgbraid.stored import GrepMatches, KeyValues

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from pgbraid.async_client.base import BaseClient


async def grep(
    client: BaseClient,
    pattern: str | None = None,
    *,
    filters: Mapping[str, Any] | None = None,
    collection: str = "default",
    match_count: int | None = None,
    after: int | None = None,
    regex: bool = False,
    ignore_case: bool = False,
    excerpt_length: int = 200,
    **other_names: Unpack[OtherNames],
) -> GrepMatches:
    """Find the chunks whose content has a text exactly as written, or matches a regular expression. Return one JSON
    object, with matches in the order in which the chunks were stored.

    pattern: the text, up to 500 characters; null, the default, matches every chunk that filters let pass. filters: the
    conditions, as in searches. match_count: how many chunks are returned, 1 to 1000. after: null, or next_after of the
    answer before, to go on. regex: true reads the pattern as a regular expression of PostgreSQL without backreferences
    and lookarounds; ^ and $ match at lines, \\\\b at the boundary of a word. ignore_case: true finds other cases, too.
    excerpt_length: the most characters of an excerpt, 20 to 10000. The answer has matches, scanned_count, stopped_by
    and next_after. A match has chunk_id, document_id, external_id, chunk_index, title, source_uri, speaker,
    occurred_at, metadata and excerpts: the lines of up to three matches. If there may be more, stopped_by says why it
    ended: match_count, time (5 seconds), scanned_count (1,000,000 chunks) or bytes (1,000,000).

    Maps to braid.grep. `match_count`, or `limit`, is 20 by default. Raise InvalidArgumentError, LimitExceededError,
    NotFoundError.
    """
    match_count = row_count(match_count, other_names, 20)
    (found,) = await client._session.json(
        "grep",
        """
        pattern => %(pattern)s::text, filters => %(filters)s::jsonb, collection => %(collection)s::text,
        match_count => %(match_count)s::int, after => %(after)s::bigint, regex => %(regex)s::boolean,
        ignore_case => %(ignore_case)s::boolean, excerpt_length => %(excerpt_length)s::int
        """,
        pattern=pattern,
        filters=optional_json(filters, "filters"),
        collection=collection,
        match_count=match_count,
        after=after,
        regex=regex,
        ignore_case=ignore_case,
        excerpt_length=excerpt_length,
    )
    return GrepMatches.from_row(found)


async def list_values(
    client: BaseClient,
    keys: Sequence[str] | None = None,
    *,
    filters: Mapping[str, Any] | None = None,
    collection: str = "default",
    value_count: int = 10,
) -> list[KeyValues]:
    """List the keys by which chunks can be filtered, each with its values and how many chunks have each value.

    keys: null, the default, lists every key that occurs, up to 100. Keys are speaker, category, language, importance,
    occurred_at (in days, UTC) and metadata keys, also within one object, such as account.tier. filters: which chunks
    are counted, as in searches. value_count: how many values of each key are listed, 0 to 1000; the commonest come
    first. Keys that most chunks have come first. distinct_count: how many values the key has. minimum and maximum: the
    least and the greatest value, as numbers if all are numbers, otherwise compared as text and cut to 100 characters.
    top_values: a JSON array of objects with value and count. Each element of an array counts as a value, once for each
    chunk.

    Maps to braid.list_values. Raise InvalidArgumentError, NotFoundError.
    """
    found = await client._session.records(
        "list_values",
        """
        keys => %(keys)s::text[], filters => %(filters)s::jsonb, collection => %(collection)s::text,
        value_count => %(value_count)s::int
        """,
        keys=None if keys is None else as_list(keys, "keys"),
        filters=optional_json(filters, "filters"),
        collection=collection,
        value_count=value_count,
    )
    return [KeyValues(*row) for row in found]


async def similar_chunks(
    client: BaseClient,
    chunk_id: int,
    match_count: int | None = None,
    filters: Mapping[str, Any] | None = None,
    *,
    min_score: float | None = None,
    options: SearchOptions | Mapping[str, Any] | None = None,
    **other_names: Unpack[OtherNames],
) -> SearchResults:
    """Find the chunks of the same collection whose vectors are nearest to the vector of a given chunk.

    It is semantic_search with the stored vector of the given chunk, so nothing is embedded. score is the similarity.
    chunk_id: the given chunk, which is left out of the rows. filters: conditions that the chunks found must meet.
    options: the options of semantic_search about vectors, groups, passages and snippets are allowed; there are no
    pages. Raise 22023 if the chunk has no embedding yet.

    Maps to braid.similar_chunks. `match_count`, or `limit`, is 10 by default. Raise NotFoundError, and
    InvalidArgumentError for a chunk that is not embedded yet.
    """
    match_count = row_count(match_count, other_names, 10)
    found = await client._session.json_rows(
        "similar_chunks",
        """
        chunk_id => %(chunk_id)s::bigint, match_count => %(match_count)s::int, filters => %(filters)s::jsonb,
        min_score => %(min_score)s::float8, options => %(options)s::jsonb
        """,
        chunk_id=chunk_id,
        match_count=match_count,
        filters=optional_json(filters, "filters"),
        min_score=min_score,
        options=optional_json(options, "options"),
    )
    return SearchResults([SearchResult.from_row(row) for row in found])


async def similar_documents(
    client: BaseClient,
    external_id: str,
    match_count: int | None = None,
    filters: Mapping[str, Any] | None = None,
    collection: str = "default",
    *,
    min_score: float | None = None,
    options: SearchOptions | Mapping[str, Any] | None = None,
    **other_names: Unpack[OtherNames],
) -> SearchResults:
    """Find the documents most like a given document, one row for each: its best chunk.

    The search vector is the mean of the vectors of the given document's chunks; for the distance cosine, they are
    first normalised to length 1. Chunks that wait for their embedding do not count, and nothing is embedded. score is
    the similarity of the best chunk to the search vector. external_id: the given document, which is left out of the
    rows. filters: conditions that the chunks found must meet. options: only options about vectors and snippets are
    allowed. Raise 22023 if none of the document's chunks has an embedding yet.

    Maps to braid.similar_documents. `match_count`, or `limit`, is 10 by default. Raise NotFoundError, and
    InvalidArgumentError for a document that is not embedded yet.
    """
    match_count = row_count(match_count, other_names, 10)
    found = await client._session.json_rows(
        "similar_documents",
        """
        external_id => %(external_id)s::text, match_count => %(match_count)s::int, filters => %(filters)s::jsonb,
        collection => %(collection)s::text, min_score => %(min_score)s::float8, options => %(options)s::jsonb
        """,
        external_id=external_id,
        match_count=match_count,
        filters=optional_json(filters, "filters"),
        collection=collection,
        min_score=min_score,
        options=optional_json(options, "options"),
    )
    return SearchResults([SearchResult.from_row(row) for row in found])


async def fuse(
    client: BaseClient,
    lists: Sequence[Any],
    fusion: Literal["rrf", "convex"] = "rrf",
    *,
    rrf_k: float = 60,
    match_count: int | None = None,
    **other_names: Unpack[OtherNames],
) -> list[dict[str, Any]]:
    """Fuse ranked lists from anywhere, such as a reranker's and a search's, into one list, best first.

    It reads no data. lists: an array of 1 to 16 lists. A list is an array of items, or an object with items, weight (1
    by default) and name. An item is an id, which is a text or a whole number, or an object with id and score. All
    items of a list have a score, or none. With scores, the highest score is the list's first rank, and equal scores
    keep the given order; else the given order is the ranking. An id that a list repeats counts once, at its best
    place. All lists have at most 100000 items. fusion: rrf or convex. Under rrf an id gets weight / (rrf_k + rank)
    from each list that has it. Under convex it gets weight × score. The scores of a list are normalised to 0 to 1, and
    the weights to a sum of 1. rrf_k: 60 by default; smaller numbers favour the first ranks. match_count: how many ids
    are returned, 100 by default; null returns all. Return an object for each id, with id (a text), score and parts.
    Ids of equal scores are ordered by their bytes. parts: an object for each list that has the id. It has list (its
    name, or its number from 1), rank, score and part, which is what the list adds to the score. Under convex it also
    has normalised_score.

    Maps to braid.fuse. `match_count`, or `limit`, is 100 by default. Raise InvalidArgumentError, LimitExceededError.
    """
    match_count = row_count(match_count, other_names, 100)
    found: list[dict[str, Any]] = await client._session.json_rows(
        "fuse",
        """
        lists => %(lists)s::jsonb, fusion => %(fusion)s::text, rrf_k => %(rrf_k)s::float8,
        match_count => %(match_count)s::int
        """,
        lists=to_json(list(lists), "lists"),
        fusion=fusion,
        rrf_k=rrf_k,
        match_count=match_count,
    )
    return found


async def arrange_results(
    client: BaseClient,
    chunk_ids: Sequence[int],
    scores: Sequence[float],
    match_count: int | None = None,
    collection: str = "default",
    *,
    options: SearchOptions | Mapping[str, Any] | None = None,
    **other_names: Unpack[OtherNames],
) -> SearchResults:
    """Make result rows of chunks that were scored elsewhere, for example by a reranker.

    Rows with the highest score come first; chunks of equal scores stay in the given order. chunk_ids: chunks of the
    collection, each given once, at most 100000. Chunks that no longer exist are left out. If none exists, or if one is
    missing with the option cursor, 42704 is raised. scores: one number for each chunk, given in the same order.
    match_count: how many rows are returned, 10 by default. options: the options of a search that collapse, group and
    diversify rows, add passages and snippets, and give pages.

    Maps to braid.arrange_results. `match_count`, or `limit`, is 10 by default. Raise InvalidArgumentError, and
    NotFoundError if none of the chunks exists, or one of a page does not.
    """
    match_count = row_count(match_count, other_names, 10)
    found = await client._session.json_rows(
        "arrange_results",
        """
        chunk_ids => %(chunk_ids)s::bigint[], scores => %(scores)s::float8[], match_count => %(match_count)s::int,
        collection => %(collection)s::text, options => %(options)s::jsonb
        """,
        chunk_ids=as_list(chunk_ids, "chunk_ids"),
        scores=as_numbers(scores, "scores"),
        match_count=match_count,
        collection=collection,
        options=optional_json(options, "options"),
    )
    return SearchResults([SearchResult.from_row(row) for row in found])


async def arrange_context(
    client: BaseClient,
    chunk_ids: Sequence[int],
    scores: Sequence[float],
    token_budget: int = 2000,
    match_count: int | None = None,
    collection: str = "default",
    *,
    sort: Literal["score", "document"] = "score",
    options: SearchOptions | Mapping[str, Any] | None = None,
    **other_names: Unpack[OtherNames],
) -> Context:
    """Collect passages for a language model, as assemble_context does, from chunks that were scored elsewhere, for
    example by a reranker.

    chunk_ids, scores, collection and options are as in arrange_results; token_budget, match_count, sort and the result
    are as in assemble_context.

    Maps to braid.arrange_context. `match_count`, or `limit`, is 50 by default. Raise InvalidArgumentError, and
    NotFoundError if none of the chunks exists.
    """
    match_count = row_count(match_count, other_names, 50)
    found = await client._session.json_rows(
        "arrange_context",
        """
        chunk_ids => %(chunk_ids)s::bigint[], scores => %(scores)s::float8[], token_budget => %(token_budget)s::int,
        match_count => %(match_count)s::int, sort => %(sort)s::text, collection => %(collection)s::text,
        options => %(options)s::jsonb
        """,
        chunk_ids=as_list(chunk_ids, "chunk_ids"),
        scores=as_numbers(scores, "scores"),
        token_budget=token_budget,
        match_count=match_count,
        sort=sort,
        collection=collection,
        options=optional_json(options, "options"),
    )
    return Context([Passage(**row) for row in found])


async def highlight(
    client: BaseClient,
    chunk_id: int,
    query: str,
    *,
    start_tag: str = "<mark>",
    stop_tag: str = "</mark>",
    fragment_count: int | None = 2,
    fragment_words: int = 30,
    fragment_separator: str = " … ",
) -> str:
    """Return the passages of a chunk that match a query best, with the matched words between two tags.

    Use it to show why a chunk was found. chunk_id: the chunk_id of a row that a search returned. query: the query that
    was searched for. start_tag, stop_tag, fragment_separator: inserted as given; the text is escaped for HTML.
    fragment_count: how many passages are returned at most, 1 to 20, 2 by default; null returns the whole text.
    fragment_words: how long each passage is, 30 words by default; in scripts without spaces each character counts as a
    word. If nothing matches, the beginning of the text is returned. To get snippets with the rows of a search, use its
    option snippet.

    Maps to braid.highlight. Raise NotFoundError, InvalidArgumentError.
    """
    check_query(query)
    found = await client._session.value(
        "highlight",
        """
        chunk_id => %(chunk_id)s::bigint, query_text => %(query)s::text, start_tag => %(start_tag)s::text,
        stop_tag => %(stop_tag)s::text, fragment_count => %(fragment_count)s::int,
        fragment_words => %(fragment_words)s::int, fragment_separator => %(fragment_separator)s::text
        """,
        chunk_id=chunk_id,
        query=query,
        start_tag=start_tag,
        stop_tag=stop_tag,
        fragment_count=fragment_count,
        fragment_words=fragment_words,
        fragment_separator=fragment_separator,
    )
    return str(found)


async def explain_score(
    client: BaseClient, query: str, chunk_ids: Sequence[int], *, match: str = "any", collection: str = "default"
) -> list[ScorePart]:
    """Show where the BM25 scores of chunks come from: one row for each chunk and each lexeme of the query that it has.

    Use it to find out why one chunk ranks above another. query, match, collection: the same values as in the search.
    chunk_ids: the chunk_id of rows that the search returned, at most 10000. The column contribution is query_frequency
    × idf × f / (f + length_normalisation). In it f is frequency (in the body) plus title_weight × title_frequency;
    length_normalisation is k1 × (1 - b + b × length / average_length). With bm25_variant okapi, contribution is k1 + 1
    times this value. The contributions of a chunk add up to its score. The lexemes of a prefix, or of a word with
    synonyms, count together as one term, with the document_frequency of the commonest; each lexeme has its share. A
    synonym of several words is shown as their lexemes, and is as common as the rarest of them. A chunk that lacks what
    the query demands has no rows.

    Maps to braid.explain_score. Raise NotFoundError, InvalidArgumentError.
    """
    check_query(query)
    found = await client._session.records(
        "explain_score",
        """
        query_text => %(query)s::text, chunk_ids => %(chunk_ids)s::bigint[], match => %(match)s::text,
        collection => %(collection)s::text
        """,
        query=query,
        chunk_ids=as_list(chunk_ids, "chunk_ids"),
        match=match,
        collection=collection,
    )
    return [ScorePart(*row) for row in found]
