"""Rows in another order or form: by scores of your own, as passages, with words marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from pgbraid.arguments import as_list, as_numbers, check_query, optional_json
from pgbraid.contexts import Context, Passage
from pgbraid.results import SearchResult, SearchResults

if TYPE_CHECKING:
    from pgbraid.async_client.base import BaseClient
    from pgbraid.search_options import SearchOptions

__all__ = ["arrange_context", "arrange_results", "highlight"]


async def arrange_results(
    client: BaseClient,
    chunk_ids: Sequence[int],
    scores: Sequence[float],
    limit: int = 10,
    collection: str = "default",
    *,
    options: SearchOptions | Mapping[str, Any] | None = None,
) -> SearchResults:
    """Rows for chunks with scores of your own, such as a reranker's: highest score first, equal scores in the order
    given, shaped as the options group_by, collapse, diversify, context and cursor of `search` ask for. Maps to
    braid.arrange_results.

    Chunks that are gone are left out. Raises InvalidArgumentError, and NotFoundError if all are, or one of a page.
    """
    rows = await client._session.json_rows(
        "arrange_results",
        """
        chunk_ids => %(chunk_ids)s::bigint[], scores => %(scores)s::float8[], match_count => %(limit)s::int,
        collection => %(collection)s::text, options => %(options)s::jsonb
        """,
        chunk_ids=as_list(chunk_ids, "chunk_ids"),
        scores=as_numbers(scores, "scores"),
        limit=limit,
        collection=collection,
        options=optional_json(options, "options"),
    )
    return SearchResults([SearchResult.from_row(row) for row in rows])


async def arrange_context(
    client: BaseClient,
    chunk_ids: Sequence[int],
    scores: Sequence[float],
    token_budget: int = 2000,
    limit: int = 50,
    collection: str = "default",
    *,
    sort: Literal["score", "document"] = "score",
    options: SearchOptions | Mapping[str, Any] | None = None,
) -> Context:
    """Return passages for a language model, as `assemble_context` does, of chunks with scores of your own, as
    `arrange_results` takes them. Maps to braid.arrange_context.

    Raises InvalidArgumentError, and NotFoundError if none of the chunks exists.
    """
    rows = await client._session.json_rows(
        "arrange_context",
        """
        chunk_ids => %(chunk_ids)s::bigint[], scores => %(scores)s::float8[], token_budget => %(token_budget)s::int,
        match_count => %(limit)s::int, sort => %(sort)s::text, collection => %(collection)s::text,
        options => %(options)s::jsonb
        """,
        chunk_ids=as_list(chunk_ids, "chunk_ids"),
        scores=as_numbers(scores, "scores"),
        token_budget=token_budget,
        limit=limit,
        sort=sort,
        collection=collection,
        options=optional_json(options, "options"),
    )
    return Context([Passage(**row) for row in rows])


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
    """The passages of a chunk that match a query best, with the matched words between the tags. Maps to
    braid.highlight.

    `chunk_id` is a search result's. The text is escaped for HTML, tags and separator are inserted as given.
    There are up to `fragment_count` passages (None: the whole text) of `fragment_words` words; a character
    of a script without spaces counts as a word. Words that the query excludes are not marked.

    Raises NotFoundError, InvalidArgumentError.
    """
    check_query(query)
    return str(
        await client._session.value(
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
    )
