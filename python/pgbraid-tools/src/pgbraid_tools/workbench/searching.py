"""Answer the pages Search and Compare."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from html import unescape
from typing import TYPE_CHECKING, Any

from psycopg import errors

from pgbraid.errors import EmbeddingError, InvalidArgumentError, PartNotInstalledError, PgbraidError
from pgbraid_tools.workbench.copying import copies
from pgbraid_tools.workbench.requests import SearchRequest, needed, read

if TYPE_CHECKING:
    from pgbraid.async_client import AsyncClient
    from pgbraid.results import SearchResult

__all__ = [
    "context", "copied", "explain", "facets", "limit_time", "query_vector", "rows", "search", "session", "similar",
]  # fmt: skip

SNIPPET = {"fragment_count": 3, "fragment_words": 40}
# The maximum of characters of a passage without marked words.
PASSAGE = 700
COLUMNS = ("speaker", "category", "language")
# In a filter, these names mean columns.
TAKEN = {*COLUMNS, "external_id", "source_uri", "importance", "occurred_at", "metadata", "title", "content"}
# The number of documents examined for metadata keys.
LOOKED_AT = 100
MOST_FACETS = 12
FACET_VALUES = 8
COMPLETIONS = 8
COUNTED_VALUES = 100
# The time limit for counting facets, in seconds.
FACET_TIME = 5
# JavaScript rounds greater whole numbers.
MOST_EXACT = 2**53 - 1
MOST_AROUND = 50


async def session(client: AsyncClient, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the collections with their settings, and whether the tenant has a document in each."""
    collections = await rows(
        client,
        """
        select to_jsonb(c) - '{created_at,k1,b,title_weight}'::text[]
        from braid.collections c order by (c.name = 'default') desc, c.name
        """,
    )
    for collection in collections:
        collection["is_empty"] = not await client.list_documents(collection["name"], match_count=1)
    return {"tenant": client.tenant, "collections": collections}


async def search(client: AsyncClient, body: Mapping[str, Any]) -> dict[str, Any]:
    request = SearchRequest.from_json(body)
    found = await request.run(client, snippet=SNIPPET)
    return {"results": [shown(row) for row in found], "stats": found.stats, "warnings": found.warnings}


async def explain(client: AsyncClient, body: Mapping[str, Any]) -> dict[str, Any]:
    """Explain the same search: the sources of its scores, and what became of the document `external_id`."""
    external_id = read(body, "external_id", str)
    asked = {name: value for name, value in body.items() if name != "external_id"}
    request = await SearchRequest.from_json(asked).without_timeframe(client)
    explanation = await client.explain_search(
        request.query, request.match_count, request.mode, external_id=external_id, **request.arguments()
    )
    return vars(explanation)


async def similar(client: AsyncClient, body: Mapping[str, Any]) -> dict[str, Any]:
    found = await client.similar_chunks(needed(body, "chunk_id", int), read(body, "match_count", int, 10))
    return {"results": [shown(row) for row in found], "stats": {}, "warnings": []}


async def complete(client: AsyncClient, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return completions of the text in the search field; none without the part `completion`."""
    try:
        found = await client.complete(
            needed(body, "prefix", str),
            read(body, "filters", dict) or None,
            read(body, "collection", str, "default"),
            COMPLETIONS,
        )
    except PartNotInstalledError:
        found = []
    return {"completions": [{"completion": row.completion, "kind": row.kind} for row in found]}


async def context(client: AsyncClient, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the chunks around one chunk of a document."""
    index, around = needed(body, "chunk_index", int), read(body, "around", int, 3)
    if not 0 <= around <= MOST_AROUND:
        raise InvalidArgumentError(f"around is {around}", hint=f"use 0 to {MOST_AROUND}", sqlstate="22023")
    # The statement cuts out the chunks to show, because a document may have thousands.
    found = await rows(
        client,
        """
        select jsonb_build_object(
          'external_id', d.document ->> 'external_id', 'title', d.document ->> 'title',
          'source_uri', d.document ->> 'source_uri', 'chunk_count', jsonb_array_length(d.document -> 'chunks'),
          'chunks', jsonb_path_query_array(
            d.document, '$.chunks[*] ? (@.chunk_index >= $first && @.chunk_index <= $last)',
            jsonb_build_object('first', %(first)s::numeric, 'last', %(last)s::numeric)))
        from braid.get_document(%(external_id)s, %(collection)s) d (document) where d.document is not null
        """,
        {
            "external_id": needed(body, "external_id", str),
            "collection": read(body, "collection", str, "default"),
            "first": index - around,
            "last": index + around,
        },
    )
    if not found:
        return {"title": None, "chunk_count": 0, "chunks": []}
    kept = ("chunk_index", "content", "speaker", "occurred_at")
    document: dict[str, Any] = found[0]
    document["chunks"] = [{name: chunk[name] for name in kept} for chunk in document["chunks"]]
    return document


async def facets(client: AsyncClient, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the most frequent values of columns and metadata keys that a filter may name, each with its number of
    chunks.

    With `query` and `keys`, count only these keys, in the chunks that full-text search finds. `total` has the numbers
    of chunks and documents, `months` the months of `occurred_at`. `is_complete` is false if counting takes too long.
    """
    collection = read(body, "collection", str, "default")
    query, asked = read(body, "query", str), read(body, "keys", list)
    keys = asked if asked is not None else [*COLUMNS, *await _metadata_keys(client, collection)]
    if not all(isinstance(key, str) for key in keys):
        raise InvalidArgumentError("keys has an element that is no text", hint="give names of keys", sqlstate="22023")
    await limit_time(client, FACET_TIME)
    try:
        async with client.transaction():
            found = await client.facets(
                keys[:MOST_FACETS],
                query or None,
                collection=collection,
                value_count=COUNTED_VALUES if query else FACET_VALUES,
                # Keys of documents without a dot are asked for, so these names are free.
                aggregations={
                    ".total": {"total": True},
                    ".months": {"key": "occurred_at", "interval": "month"},
                },
            )
    except PgbraidError as error:
        if not isinstance(error.__cause__, errors.QueryCanceled):
            raise
        return {"facets": [], "total": None, "months": [], "is_complete": False}
    total, months = found.pop(".total")[0].value, found.pop(".months")
    listed = [
        {"key": key, "values": [vars(value) for value in values if not _is_inexact(value.value)]}
        for key, values in found.items()
        # A key with only unique values, such as an id, is no useful filter.
        if asked is not None or any(value.count > 1 for value in values)
    ]
    dated = [vars(month) for month in months if month.value is not None]
    return {"facets": listed, "total": total, "months": dated, "is_complete": True}


def _is_inexact(value: Any) -> bool:
    """Return whether JavaScript would round the number, so that the page would filter by another one."""
    return isinstance(value, Decimal) or (isinstance(value, (int, float)) and not abs(value) <= MOST_EXACT)


async def _metadata_keys(client: AsyncClient, collection: str) -> list[str]:
    (declared,) = await rows(
        client, "select c.indexed_attributes from braid.collections c where c.name = %s", [collection]
    ) or [{}]
    names = dict.fromkeys(declared)
    for document in await client.list_documents(collection, match_count=LOOKED_AT):
        for name, value in document.metadata.items():
            if not isinstance(value, dict) and not name.startswith("$") and "." not in name and len(name) <= 100:
                names[name] = None
    return [f"metadata.{name}" if name in TAKEN else name for name in names]


async def copied(client: AsyncClient, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the search as code that runs elsewhere."""
    request = SearchRequest.from_json(body)
    model = (await client._spaces.of(request.collection))[0].model
    return copies(request, await query_vector(client, request), client.tenant, model)


async def query_vector(client: AsyncClient, request: SearchRequest) -> list[float] | None:
    from pgbraid.async_client.queries import embed_query

    query = request.query
    if request.timeframe is not None and request.timeframe.lower() == "auto":
        query, _ = await client.extract_timeframe(query)
    if request.mode == "full_text" or not query:
        return None
    try:
        vector, _, _ = await embed_query(client, query, request.collection, request.options, [])
    except EmbeddingError:
        if request.mode == "semantic":
            raise
        # Continue without a vector, as the search itself does.
        return None
    # The shortest digits that restore the same single-precision number.
    return None if vector is None else [float(str(value)) for value in vector.to_numpy()]


async def limit_time(client: AsyncClient, seconds: int) -> None:
    """Limit the time of each statement until the transaction ends; a shorter limit stays."""
    await client.connection.execute(
        """
        select set_config('statement_timeout', %(seconds)s || 's', true)
        where current_setting('statement_timeout')::interval not between '1 ms' and make_interval(secs => %(seconds)s)
        """,
        {"seconds": seconds},
    )


async def rows(client: AsyncClient, statement: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> list[Any]:
    """Run a statement that returns one column for the client's tenant, within a transaction; return the values."""
    async with client.connection.cursor() as cursor:
        await cursor.execute("select set_config('braid.tenant', %s, true)", [client.tenant])
        await cursor.execute(statement.encode(), parameters)
        return [value for (value,) in await cursor.fetchall()]


def shown(row: SearchResult) -> dict[str, Any]:
    """Return a result with its passage in parts, each a text and a flag that says whether it is marked."""
    if row.snippet is not None:
        passage = marked(row.snippet)
        is_cut = False
    else:
        passage = [(_closed_up(row.content[:PASSAGE]), False)]
        is_cut = len(row.content) > PASSAGE
    names = (
        "chunk_id", "external_id", "chunk_index", "title", "source_uri", "speaker", "category", "importance",
        "occurred_at", "metadata", "score", "group_score", "full_text_score", "full_text_normalised_score",
        "full_text_rank", "semantic_score", "semantic_normalised_score", "semantic_rank", "sparse_score", "sparse_rank",
    )  # fmt: skip
    return {**{name: getattr(row, name) for name in names}, "passage": passage, "is_cut": is_cut}


def marked(snippet: str) -> list[tuple[str, bool]]:
    """Split a snippet into parts, each with a flag that says whether it is marked. The database escapes all other
    tags."""
    parts = re.split(r"<mark>(.*?)</mark>", _closed_up(snippet), flags=re.DOTALL)
    return [(unescape(part), bool(place % 2)) for place, part in enumerate(parts) if part]


def _closed_up(text: str) -> str:
    """Remove empty lines."""
    return re.sub(r"\n\s*\n", "\n", text.strip())
