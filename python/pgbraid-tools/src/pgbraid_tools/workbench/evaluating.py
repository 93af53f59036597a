"""Answer the pages Compare and Evaluate: judged queries, evaluations, and versions of a ranking."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pgbraid.errors import InvalidArgumentError
from pgbraid_tools.workbench.requests import SearchRequest, needed, read
from pgbraid_tools.workbench.searching import query_vector, rows

if TYPE_CHECKING:
    from pgbraid.async_client import AsyncClient

__all__ = [
    "apply", "create_query_set", "evaluate", "grades", "judge", "query_sets", "rankings", "restore",
]  # fmt: skip

PAGE = 1000
# In a set with more queries, evaluations leave out the rows.
MOST_WITH_ROWS = 300
# The bound on values that compare_evaluations draws when it resamples.
MOST_DRAWN = 20_000_000


async def query_sets(client: AsyncClient, body: Mapping[str, Any]) -> list[dict[str, Any]]:
    return await client.list_query_sets()


async def create_query_set(client: AsyncClient, body: Mapping[str, Any]) -> dict[str, bool]:
    name = needed(body, "query_set", str).strip()
    return {"is_new": await client.create_query_set(name, description=read(body, "description", str, ""))}


async def grades(client: AsyncClient, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the judge's grades for a query of the set, found by its text."""
    query_set, text = needed(body, "query_set", str), needed(body, "query", str)
    judge = read(body, "judge", str, "default")
    level = await _level(client, query_set)
    query_id = await _query_id(client, query_set, text, read(body, "filters", dict))
    found: list[dict[str, Any]] = []
    if query_id is not None:
        found = await rows(
            client,
            """
            select jsonb_build_object('external_id', j.external_id, 'chunk_index', j.chunk_index, 'grade', j.grade)
            from braid.list_judgments(%s, %s) j where j.judge = %s
            """,
            [query_set, query_id, judge],
        )
    return {"level": level, "grades": found}


async def judge(client: AsyncClient, body: Mapping[str, Any]) -> dict[str, Any]:
    """Store a grade, or delete it (null); add the query to the set if it is new, with its embedding."""
    query_set, text = needed(body, "query_set", str), needed(body, "query", str).strip()
    grade = read(body, "grade", int)
    if grade is not None and not 0 <= grade <= 3:
        raise InvalidArgumentError(f"grade is {grade}", hint="use 0 to 3", sqlstate="22023")
    if not text:
        raise InvalidArgumentError("query is empty", hint="give a text", sqlstate="22023")
    collection = read(body, "collection", str, "default")
    filters = read(body, "filters", dict) or None
    query_id = await _query_id(client, query_set, text, filters)
    if query_id is None:
        # The id is a hash, so the same query gets the same id whoever stores it first.
        named = json.dumps([text, filters], sort_keys=True)
        query_id = hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        query: dict[str, Any] = {"query_id": query_id, "text": text}
        if filters is not None:
            query["filters"] = filters
        vector = await query_vector(client, SearchRequest(text, collection=collection))
        if vector is not None:
            query["embedding"] = vector
        await client.store_queries(query_set, [query], collection=collection)
    judgment = {
        "query_id": query_id,
        "external_id": needed(body, "external_id", str),
        "judge": read(body, "judge", str, "default"),
        "grade": grade,
    }
    if await _level(client, query_set) == "chunk":
        judgment["chunk_index"] = needed(body, "chunk_index", int)
    return {"query_id": query_id, **await client.store_judgments(query_set, [judgment])}


async def _level(client: AsyncClient, query_set: str) -> str:
    known = [found["level"] for found in await client.list_query_sets() if found["query_set"] == query_set]
    if not known:
        raise InvalidArgumentError(f"there is no query set {query_set}", hint="create it first", sqlstate="22023")
    return str(known[0])


async def _query_id(client: AsyncClient, query_set: str, text: str, filters: Mapping[str, Any] | None) -> str | None:
    after = None
    while page := await client.list_queries(query_set, match_count=PAGE, after=after):
        for query in page:
            if query["query_text"] == text and (query["filters"] or None) == (filters or None):
                return str(query["query_id"])
        after = page[-1]["query_id"]
    return None


async def evaluate(client: AsyncClient, body: Mapping[str, Any]) -> dict[str, Any]:
    """Evaluate each of `configurations`, which are searches without a query, and compare each with the first."""
    query_set, given = needed(body, "query_set", str), needed(body, "configurations", list)
    if not 1 <= len(given) <= 4 or not all(isinstance(each, dict) for each in given):
        raise InvalidArgumentError("configurations are no list of objects", hint="give one to four", sqlstate="22023")
    sets = {found["query_set"]: found for found in await client.list_query_sets()}
    count = sets[query_set]["judged_count"] if query_set in sets else 0
    evaluations = [
        await client.evaluate(
            query_set, configuration(each), judge=read(body, "judge", str), details=count <= MOST_WITH_ROWS
        )
        for each in given
    ]
    bare = [{**found, "queries": [*map(_without_rows, found["queries"])]} for found in evaluations]
    drawn = len(bare[0]["metrics"]) * max(1, len(bare[0]["queries"]))
    compared = [
        # changed_count is 0, because the page sorts the queries itself. A ranking's version also keeps the comparison;
        # it outlives the tenant, so it must not hold the tenant's texts.
        await client.compare_evaluations(
            bare[0], other, resample_count=max(100, min(2000, MOST_DRAWN // drawn)), changed_count=0
        )
        for other in bare[1:]
    ]
    return {"evaluations": evaluations, "comparisons": compared}


def configuration(search: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration for `evaluate`; the collection's settings fill whatever `search` leaves out."""
    request = SearchRequest.from_json({**search, "match_count": None})
    named = {name: value for name, value in request.arguments().items() if value is not None}
    return {"mode": request.mode, **named}


def _without_rows(query: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in query.items() if name not in ("rows", "missed")}


async def rankings(client: AsyncClient, body: Mapping[str, Any]) -> list[dict[str, Any]]:
    return await client.list_rankings(read(body, "collection", str, "default"))


async def apply(client: AsyncClient, body: Mapping[str, Any]) -> dict[str, int]:
    """Set the collection's ranking to the evaluated settings."""
    version = await client.set_ranking(
        read(body, "collection", str, "default"),
        needed(body, "ranking", dict),
        needed(body, "reason", str),
        evaluation=read(body, "evaluation", dict),
    )
    return {"version": version}


async def restore(client: AsyncClient, body: Mapping[str, Any]) -> dict[str, int]:
    version = await client.restore_ranking(
        read(body, "collection", str, "default"), needed(body, "version", int), read(body, "reason", str)
    )
    return {"version": version}
