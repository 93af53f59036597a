"""Calls of learning. Made by tools/client_calls.py. DO NOT CHANGE."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from pgbraid.arguments import OtherNames, row_count, to_json

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from pgbraid.async_client.base import BaseClient


async def ranking_features(
    client: BaseClient,
    query_set: str,
    configuration: Mapping[str, Any] | None = None,
    *,
    judge: str | None = None,
    after: str | None = None,
    query_count: int | None = None,
    **other_names: Unpack[OtherNames],
) -> list[dict[str, Any]]:
    """Return what a ranking model can be learned from: the candidates of judged queries, with their features and
    grades.

    configuration, judge: as in evaluate; options that rank after a model have no meaning. after, query_count: pages of
    queries, in the order of their ids; null for the first page, 1 to 1000 queries. A row is a candidate: place is its
    rank without a model, score its score there, features an object of the numbers that a search gives to a model,
    grade null where it is not judged. Relevant documents that were not found come last, with place and features null.

    Maps to braid.ranking_features. `query_count`, or `limit`, is 100 by default. Raise NotFoundError,
    InvalidArgumentError, LimitExceededError.
    """
    query_count = row_count(query_count, other_names, 100, "query_count")
    found: list[dict[str, Any]] = await client._session.json_rows(
        "ranking_features",
        """
        query_set => %(query_set)s::text, configuration => %(configuration)s::jsonb, judge => %(judge)s::text,
        after => %(after)s::text, query_count => %(query_count)s::int
        """,
        query_set=query_set,
        configuration=to_json(configuration or {}, "configuration"),
        judge=judge,
        after=after,
        query_count=query_count,
    )
    return found


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
    """Store queries of a collection's search log in a query set, and return how many are new there.

    method: random (each query alike), frequency (those asked most) or worst (those whose searches found nothing most
    often, then those whose first click came latest or never). query_count: how many, up to 10000. since: only searches
    from then on. min_searches: of queries asked at least so often. with_filters: a query with other filters is another
    query, which keeps them; else they are left out. Queries that the set has are left out, so that a second call gives
    others. Upper case and white space make no other query. Only first pages of searches for one query count, and only
    logs that keep the text have queries. Filters above 2000 bytes are not in the log: these searches count as if they
    had none. They have no embeddings: store them with store_queries.

    Maps to braid.sample_queries. Raise NotFoundError, InvalidArgumentError.
    """
    found = await client._session.value(
        "sample_queries",
        """
        query_set => %(query_set)s::text, collection => %(collection)s::text, method => %(method)s::text,
        query_count => %(query_count)s::int, since => %(since)s::timestamptz, min_searches => %(min_searches)s::int,
        with_filters => %(with_filters)s::boolean, seed => %(seed)s::int
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
    return int(found)


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
    """Make judgments of the queries of a query set from what users clicked on in the results of logged searches.

    A document that stands high is clicked on because it stands high. So each time that it was shown at a rank counts
    as 1 / rank ^ eta impressions, the propensity that somebody looks there, and its rate is clicks (and
    used_in_answer) / impressions. A rate of 0.5 or more is grade 3, of 0.2 is 2, of 0.05 is 1, less is 0.
    min_impressions: documents with fewer impressions, so counted, are left ungraded. eta: how fast attention falls, 0
    to 3; 1 as in Joachims et al. 2017. since: only searches from then on. judge: whose judgments they become. Return
    an object: stored, replaced, unchanged, removed, searches (how many count) and left_out (pairs with too few
    impressions).

    Maps to braid.judgments_from_clicks. Raise NotFoundError, InvalidArgumentError.
    """
    (found,) = await client._session.json(
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
    return dict(found)
