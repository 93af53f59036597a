# Generated from async_client/calls_learning.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Calls of learning. Made by tools/client_calls.py. DO NOT CHANGE."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from pgbraid.arguments import OtherNames, row_count, to_json

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from pgbraid.client.base import BaseClient


def ranking_features(
    client: BaseClient,
    query_set: str,
    configuration: Mapping[str, Any] | None = None,
    *,
    judge: str | None = None,
    after: str | None = None,
    query_count: int | None = None,
    **other_names: Unpack[OtherNames],
) -> list[dict[str, Any]]:
    """Return training data for a ranking model: the candidates of judged queries, with their features and grades.

    configuration, judge: used as by evaluate; options that rank after a model have no effect. after, query_count: a
    page of queries in the order of their ids, 1 to 1000 queries; after is null for the first page. place, score: the
    rank and score of a candidate without a model. features: an object of the numbers that a search gives to a model.
    grade: the judges' grade; null if it is not judged. Each row is a candidate. Relevant documents that were not found
    come last, with place and features null.

    Maps to braid.ranking_features. `query_count`, or `limit`, is 100 by default. Raise NotFoundError,
    InvalidArgumentError, LimitExceededError.
    """
    query_count = row_count(query_count, other_names, 100, "query_count")
    found: list[dict[str, Any]] = client._session.json_rows(
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


def sample_queries(
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

    method: takes random, frequency or worst. With random, each query is equally likely; frequency takes the queries
    asked most often. With worst, it takes the queries that found nothing most often, then those clicked latest or
    never. query_count: the number of queries, up to 10000. since: use only searches from then on. min_searches: use
    only queries asked at least this often. with_filters: if true, a query with other filters is another query and
    keeps its filters; otherwise filters are left out. Queries already in the set are left out, so that a second call
    adds others. Upper case and white space do not distinguish queries. Only first pages of searches for one query
    count, and only logs that keep the text have queries. The log omits filters above 2000 bytes, so these searches
    count as if they had none. The stored queries have no embeddings: add them with store_queries.

    Maps to braid.sample_queries. Raise NotFoundError, InvalidArgumentError.
    """
    found = client._session.value(
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


def judgments_from_clicks(
    client: BaseClient,
    query_set: str,
    collection: str = "default",
    *,
    since: datetime | None = None,
    min_impressions: float = 5.0,
    eta: float = 1.0,
    judge: str = "clicks",
) -> dict[str, int]:
    """Make judgments of the queries of a query set from clicks on results of logged searches.

    min_impressions: documents with fewer impressions, counted as below, get no grade. eta: how fast attention falls
    with the rank, 0 to 3; 1 as in Joachims et al. 2017. since: use only searches from then on. judge: the judge to
    whom the judgments are attributed. A document at a high rank gets clicks because of its rank. So each display at a
    rank counts as 1 / rank ^ eta impressions, the propensity that a user looks there. The rate of a document is its
    clicks (and used_in_answer) divided by its impressions. A rate of 0.5 or more is grade 3, of 0.2 is 2, of 0.05 is
    1, and a lower rate is 0. Return an object with stored, replaced, unchanged, removed, searches (how many count) and
    left_out (pairs with too few impressions).

    Maps to braid.judgments_from_clicks. Raise NotFoundError, InvalidArgumentError.
    """
    (found,) = client._session.json(
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
