"""Judged queries, and how good searches are by them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from pgbraid.arguments import as_list, to_json

if TYPE_CHECKING:
    from pgbraid.async_client.base import BaseClient

__all__ = [
    "compare_evaluations",
    "create_query_set",
    "drop_query_set",
    "evaluate",
    "judge_agreement",
    "judgments_from_clicks",
    "list_queries",
    "list_query_sets",
    "pool_results",
    "sample_queries",
    "store_judgments",
    "store_queries",
]


async def create_query_set(
    client: BaseClient, query_set: str, level: str = "document", *, description: str = ""
) -> bool:
    """Create a set of queries whose judgments are about documents or chunks; False if it is there. Maps to
    braid.create_query_set.

    Raises InvalidArgumentError.
    """
    return bool(
        await client._session.value(
            "create_query_set",
            """
            query_set => %(query_set)s::text, level => %(level)s::text, description => %(description)s::text
            """,
            query_set=query_set,
            level=level,
            description=description,
        )
    )


async def store_queries(
    client: BaseClient, query_set: str, queries: Sequence[Mapping[str, Any]], collection: str = "default"
) -> int:
    """Store queries with `query_id`, `text` and, if you like, `filters` and `embedding`, which is of the collection's
    model. Maps to braid.store_queries.

    Raises NotFoundError, InvalidArgumentError, LimitExceededError.
    """
    return int(
        await client._session.value(
            "store_queries",
            """
            query_set => %(query_set)s::text, queries => %(queries)s::jsonb, collection => %(collection)s::text
            """,
            query_set=query_set,
            queries=to_json(list(queries), "queries"),
            collection=collection,
        )
    )


async def store_judgments(client: BaseClient, query_set: str, judgments: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Store judgments with `query_id`, `external_id`, `grade` and, if you like, `judge`. Maps to
    braid.store_judgments, and returns what that does: how many are `stored`, `replaced`, `unchanged` and `removed`.

    Raises NotFoundError, InvalidArgumentError, LimitExceededError.
    """
    counts: dict[str, int] = await client._session.value(
        "store_judgments",
        "query_set => %(query_set)s::text, judgments => %(judgments)s::jsonb",
        query_set=query_set,
        judgments=to_json(list(judgments), "judgments"),
    )
    return counts


async def list_query_sets(client: BaseClient) -> list[dict[str, Any]]:
    """The query sets of this tenant, with counts. Maps to braid.list_query_sets."""
    return await client._session.json_rows("list_query_sets")


async def list_queries(
    client: BaseClient, query_set: str, *, limit: int = 100, after: str | None = None
) -> list[dict[str, Any]]:
    """The first `limit` queries, 1 to 10,000, of those that come after the id `after`. Maps to braid.list_queries.

    Raises NotFoundError, InvalidArgumentError.
    """
    return await client._session.json_rows(
        "list_queries",
        """
        query_set => %(query_set)s::text, match_count => %(limit)s::int, after => %(after)s::text
        """,
        query_set=query_set,
        limit=limit,
        after=after,
    )


async def drop_query_set(client: BaseClient, query_set: str) -> bool:
    """Drop a query set with its queries and judgments; False if there is none. Maps to braid.drop_query_set."""
    return bool(await client._session.value("drop_query_set", "query_set => %(query_set)s::text", query_set=query_set))


async def evaluate(
    client: BaseClient,
    query_set: str,
    configuration: Mapping[str, Any] | None = None,
    metrics: Sequence[str] = ("ndcg@10", "recall@10", "precision@10", "mrr@10", "map@10", "judged@10"),
    *,
    judge: str | None = None,
    details: bool = False,
) -> dict[str, Any]:
    """Run a search for each judged query, and measure the rankings. Maps to braid.evaluate, and returns its object.

    `configuration` has the arguments of braid.search_json and `mode`. Raises NotFoundError, InvalidArgumentError,
    LimitExceededError.
    """
    evaluation: dict[str, Any] = await client._session.value(
        "evaluate",
        """
        query_set => %(query_set)s::text, configuration => %(configuration)s::jsonb, metrics => %(metrics)s::text[],
        judge => %(judge)s::text, details => %(details)s::boolean
        """,
        query_set=query_set,
        configuration=to_json(configuration or {}, "configuration"),
        metrics=as_list(metrics, "metrics"),
        judge=judge,
        details=details,
    )
    return evaluation


async def compare_evaluations(
    client: BaseClient,
    baseline: Mapping[str, Any],
    candidate: Mapping[str, Any],
    *,
    resample_count: int = 2000,
    seed: int = 0,
    changed_count: int = 10,
) -> dict[str, Any]:
    """Compare what `evaluate` returned for two configurations. Maps to braid.compare_evaluations, and returns its
    object.

    Raises InvalidArgumentError, LimitExceededError.
    """
    compared: dict[str, Any] = await client._session.value(
        "compare_evaluations",
        """
        baseline => %(baseline)s::jsonb, candidate => %(candidate)s::jsonb,
        resample_count => %(resample_count)s::int, seed => %(seed)s::int, changed_count => %(changed_count)s::int
        """,
        baseline=to_json(baseline, "baseline"),
        candidate=to_json(candidate, "candidate"),
        resample_count=resample_count,
        seed=seed,
        changed_count=changed_count,
    )
    return compared


async def pool_results(
    client: BaseClient,
    query_set: str,
    configurations: Sequence[Mapping[str, Any]] = ({},),
    depth: int = 10,
    *,
    judge: str | None = None,
    seed: int = 0,
    query_ids: Sequence[str] | None = None,
) -> list[dict[str, Any]]:
    """What `judge` has not graded of the first `depth` results of each configuration, each once, and of each query
    shuffled by `seed`. Maps to braid.pool_results.

    `judge=None` leaves out what anybody has graded; `query_ids=None` takes all queries. Raises NotFoundError,
    InvalidArgumentError, LimitExceededError.
    """
    return await client._session.json_rows(
        "pool_results",
        """
        query_set => %(query_set)s::text, configurations => %(configurations)s::jsonb, depth => %(depth)s::int,
        judge => %(judge)s::text, seed => %(seed)s::int, query_ids => %(query_ids)s::text[]
        """,
        query_set=query_set,
        configurations=to_json(list(configurations), "configurations"),
        depth=depth,
        judge=judge,
        seed=seed,
        query_ids=None if query_ids is None else list(query_ids),
    )


async def judge_agreement(
    client: BaseClient, query_set: str, judge: str, reference: str | None = None
) -> dict[str, Any]:
    """How far `judge` agrees with `reference`, or with the median of all others. Maps to braid.judge_agreement, and
    returns its object.

    Raises NotFoundError, InvalidArgumentError.
    """
    agreement: dict[str, Any] = await client._session.value(
        "judge_agreement",
        """
        query_set => %(query_set)s::text, judge => %(judge)s::text, reference => %(reference)s::text
        """,
        query_set=query_set,
        judge=judge,
        reference=reference,
    )
    return agreement


async def sample_queries(
    client: BaseClient,
    query_set: str,
    collection: str = "default",
    method: Literal["random", "frequency", "worst"] = "random",
    query_count: int = 100,
    *,
    since: datetime | None = None,
    min_searches: int = 1,
    with_filters: bool = False,
    seed: int = 0,
) -> int:
    """Store queries of the search log of `collection` in the query set, and return how many are new. Maps to
    braid.sample_queries.

    Raises NotFoundError, InvalidArgumentError.
    """
    return int(
        await client._session.value(
            "sample_queries",
            """
            query_set => %(query_set)s::text, collection => %(collection)s::text, method => %(method)s::text,
            query_count => %(query_count)s::int, since => %(since)s::timestamptz,
            min_searches => %(min_searches)s::int, with_filters => %(with_filters)s::boolean, seed => %(seed)s::int
            """,
            query_set=query_set,
            collection=collection,
            method=method,
            query_count=query_count,
            since=since,
            min_searches=min_searches,
            with_filters=with_filters,
            seed=seed,
        )
    )


async def judgments_from_clicks(
    client: BaseClient,
    query_set: str,
    collection: str = "default",
    *,
    since: datetime | None = None,
    min_impressions: float = 5.0,
    eta: float = 1.0,
    judge: str = "clicks",
) -> dict[str, int]:
    """Grade documents by what users clicked on in logged searches, corrected for where they stood. Maps to
    braid.judgments_from_clicks, and returns its object.

    Raises NotFoundError, InvalidArgumentError.
    """
    counts: dict[str, int] = await client._session.value(
        "judgments_from_clicks",
        """
        query_set => %(query_set)s::text, collection => %(collection)s::text, since => %(since)s::timestamptz,
        min_impressions => %(min_impressions)s::float8, eta => %(eta)s::float8, judge => %(judge)s::text
        """,
        query_set=query_set,
        collection=collection,
        since=since,
        min_impressions=min_impressions,
        eta=eta,
        judge=judge,
    )
    return counts
