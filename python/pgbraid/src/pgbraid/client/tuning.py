# Generated from async_client/tuning.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Choosing a ranking by judged queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pgbraid.arguments import optional_json, to_json

if TYPE_CHECKING:
    from pgbraid.client.base import BaseClient

__all__ = ["choose_configuration", "plan_tuning", "tune"]


def tune(
    client: BaseClient,
    query_set: str,
    search_space: Mapping[str, Sequence[Any]] | None = None,
    budget: int = 50,
    configuration: Mapping[str, Any] | None = None,
    *,
    metric: str = "ndcg@10",
    judge: str | None = None,
    fold_count: int = 5,
    seed: int = 0,
) -> dict[str, Any]:
    """Try other rankings on judged queries: which is best, and what that gains on queries that did not choose it.
    Maps to braid.tune, and returns its object.

    It is one statement, which takes as long as `budget` times the searches of all queries. To see how far it is,
    evaluate what `plan_tuning` returns one by one, as `pgbraid tune` does. Raises NotFoundError, InvalidArgumentError,
    LimitExceededError.
    """
    tuned: dict[str, Any] = client._session.value(
        "tune",
        """
        query_set => %(query_set)s::text, search_space => %(search_space)s::jsonb, budget => %(budget)s::int,
        configuration => %(configuration)s::jsonb, metric => %(metric)s::text, judge => %(judge)s::text,
        fold_count => %(fold_count)s::int, seed => %(seed)s::int
        """,
        query_set=query_set,
        search_space=optional_json(search_space, "search_space"),
        budget=budget,
        configuration=to_json(configuration or {}, "configuration"),
        metric=metric,
        judge=judge,
        fold_count=fold_count,
        seed=seed,
    )
    return tuned


def plan_tuning(
    client: BaseClient,
    query_set: str,
    search_space: Mapping[str, Sequence[Any]] | None = None,
    budget: int = 50,
    configuration: Mapping[str, Any] | None = None,
    *,
    judge: str | None = None,
    seed: int = 0,
) -> list[dict[str, Any]]:
    """The configurations that `tune` would evaluate, the present one first: `candidate` of each is for `evaluate`.
    Maps to braid.plan_tuning, and returns its rows.

    Raises NotFoundError, InvalidArgumentError, LimitExceededError.
    """
    return client._session.json_rows(
        "plan_tuning",
        """
        query_set => %(query_set)s::text, search_space => %(search_space)s::jsonb, budget => %(budget)s::int,
        configuration => %(configuration)s::jsonb, judge => %(judge)s::text, seed => %(seed)s::int
        """,
        query_set=query_set,
        search_space=optional_json(search_space, "search_space"),
        budget=budget,
        configuration=to_json(configuration or {}, "configuration"),
        judge=judge,
        seed=seed,
    )


def choose_configuration(
    client: BaseClient,
    evaluations: Sequence[Mapping[str, Any]],
    metric: str = "ndcg@10",
    *,
    fold_count: int = 5,
    resample_count: int = 2000,
    seed: int = 0,
) -> dict[str, Any]:
    """The best of several configurations, the present one first, by what `evaluate` returned for each, and what
    choosing gains on queries that had no part in it. Maps to braid.choose_configuration, and returns its object.

    Raises InvalidArgumentError, LimitExceededError.
    """
    chosen: dict[str, Any] = client._session.value(
        "choose_configuration",
        """
        evaluations => %(evaluations)s::jsonb, metric => %(metric)s::text, fold_count => %(fold_count)s::int,
        resample_count => %(resample_count)s::int, seed => %(seed)s::int
        """,
        evaluations=to_json(list(evaluations), "evaluations"),
        metric=metric,
        fold_count=fold_count,
        resample_count=resample_count,
        seed=seed,
    )
    return chosen
