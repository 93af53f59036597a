# Generated from async_client/calls_evaluation.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Calls of evaluation. Made by tools/client_calls.py. DO NOT CHANGE."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pgbraid.arguments import OtherNames, as_list, optional_json, row_count, to_json

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from pgbraid.client.base import BaseClient


def create_query_set(
    client: BaseClient, query_set: str, level: str = "document", *, description: str = ""
) -> bool:
    """Create a set of queries of the session's tenant, by which searches are evaluated.

    level: whether its judgments are about a document or a chunk. Chunks are named by their place in a document, so
    judgments of documents outlive a change of the chunk size. description: a text about the query set. An existing
    query set takes the new description; another level is refused with 22023. Return true if the query set is new.

    Maps to braid.create_query_set. Raise InvalidArgumentError.
    """
    found = client._session.value(
        "create_query_set",
        "query_set => %(query_set)s::text, level => %(level)s::text, description => %(description)s::text",
        query_set=query_set,
        level=level,
        description=description,
    )
    return bool(found)


def store_queries(
    client: BaseClient, query_set: str, queries: Sequence[Mapping[str, Any]], collection: str = "default"
) -> int:
    """Store queries of a query set, replacing queries with the same query_id.

    queries: a JSON array of at most 10000 objects with query_id, text and, optionally, filters and embedding. The
    filters apply in addition to each evaluation's filters. collection: the collection whose embedding model made the
    embeddings, and whose metadata keys the filters name. A query may have one embedding of each of several models. A
    stored query that is replaced keeps its judgments and, if the text is the same, its embeddings. Return the number
    of queries given.

    Maps to braid.store_queries. Raise NotFoundError, InvalidArgumentError, LimitExceededError.
    """
    found = client._session.value(
        "store_queries",
        "query_set => %(query_set)s::text, queries => %(queries)s::jsonb, collection => %(collection)s::text",
        query_set=query_set,
        queries=to_json(list(queries), "queries"),
        collection=collection,
    )
    return int(found)


def store_judgments(client: BaseClient, query_set: str, judgments: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Store judgments of a query set: how relevant documents, or chunks, are to its queries.

    judgments: a JSON array of at most 100000 objects with query_id, external_id, grade and, optionally, judge; in a
    query set of chunks also chunk_index. A grade above 0 is relevant, and 0 is not relevant. A grade below 0 counts as
    not judged, as in trec_eval; null removes the judgment. judge: the name of the judge; "default" if left out.
    Judgments of several judges are kept apart. A judge's later grade replaces the earlier one; two grades in one call
    are refused. The documents need not exist yet. Return an object with the counts stored (new judgments), replaced
    (other grades), unchanged and removed.

    Maps to braid.store_judgments. Raise NotFoundError, InvalidArgumentError, LimitExceededError.
    """
    (found,) = client._session.json(
        "store_judgments",
        "query_set => %(query_set)s::text, judgments => %(judgments)s::jsonb",
        query_set=query_set,
        judgments=to_json(list(judgments), "judgments"),
    )
    return dict(found)


def list_query_sets(client: BaseClient) -> list[dict[str, Any]]:
    """List the query sets of the session's tenant, in the order of their names (by bytes).

    judged_count: the number of queries with judgments. judges: the names of the judges.

    Maps to braid.list_query_sets.
    """
    found: list[dict[str, Any]] = client._session.json_rows("list_query_sets")
    return found


def list_queries(
    client: BaseClient,
    query_set: str,
    *,
    match_count: int | None = None,
    after: str | None = None,
    **other_names: Unpack[OtherNames],
) -> list[dict[str, Any]]:
    """List the queries of a query set, in the order of their ids (by bytes).

    match_count: limits the number of queries, up to 10000. after: the last query_id of the page before; null gives the
    first page. embedding_models: the embedding models that the query has an embedding of.

    Maps to braid.list_queries. `match_count`, or `limit`, is 100 by default. Raise NotFoundError,
    InvalidArgumentError.
    """
    match_count = row_count(match_count, other_names, 100)
    found: list[dict[str, Any]] = client._session.json_rows(
        "list_queries",
        "query_set => %(query_set)s::text, match_count => %(match_count)s::int, after => %(after)s::text",
        query_set=query_set,
        match_count=match_count,
        after=after,
    )
    return found


def drop_query_set(client: BaseClient, query_set: str) -> bool:
    """Drop a query set of the session's tenant, with its queries and judgments.

    Return true, or false if there is none of that name.

    Maps to braid.drop_query_set.
    """
    found = client._session.value("drop_query_set", "query_set => %(query_set)s::text", query_set=query_set)
    return bool(found)


def evaluate(
    client: BaseClient,
    query_set: str,
    configuration: Mapping[str, Any] | None = None,
    metrics: Sequence[str] = ("ndcg@10", "recall@10", "precision@10", "mrr@10", "map@10", "judged@10"),
    *,
    judge: str | None = None,
    details: bool = False,
) -> dict[str, Any]:
    """Run a search for each judged query of a query set, and measure the rankings.

    configuration: has the arguments of search_json, such as {"fusion": "rrf", "options": {"boosts": [{"recency":
    {"half_life": "30 days"}}]}}, and mode: hybrid, full_text or semantic. Its match_count defaults to the depth of the
    deepest metric, and to at least 100 if a metric has no @k. Its option group_by defaults to "document" in a query
    set of documents. metrics: ndcg, map and mrr with or without @k, recall@k, precision@k, success@k and judged@k,
    defined as in trec_eval. judge: use only this judge's judgments; null takes the median of all judges' grades, the
    lower of two. details: return the rows of each query, too. Every judged query counts: without rows or without
    relevant results it counts as 0. Grades below 0 do not vote. Return an object: metrics (means), queries (each with
    its metrics, rows found and rows not judged), counts, warnings, latency and ranking. Its ranking has the arguments
    of set_ranking that make the collection rank this way. Pass two results to compare_evaluations.

    Maps to braid.evaluate. Raise NotFoundError, InvalidArgumentError, LimitExceededError.
    """
    (found,) = client._session.json(
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
    return dict(found)


def compare_evaluations(
    client: BaseClient,
    baseline: Mapping[str, Any],
    candidate: Mapping[str, Any],
    *,
    resample_count: int = 2000,
    seed: int = 0,
    changed_count: int = 10,
) -> dict[str, Any]:
    """Compare two evaluations of a query set query by query, and tell how certain the difference is.

    baseline, candidate: results of evaluate for two configurations. resample_count: the number of samples drawn, 100
    to 100000. changed_count: the number of changed queries to list, 0 to 10000. Return an object with the metrics that
    both have. Each metric has both means, their difference (candidate - baseline), interval (95 %, bootstrap of the
    queries) and p_value (two-sided paired randomisation test). It also has wins, losses and ties of the candidate, and
    changed, the queries that changed most. The same seed gives the same result. With several metrics, one will differ
    by chance, so decide beforehand which one counts.

    Maps to braid.compare_evaluations. Raise InvalidArgumentError, LimitExceededError.
    """
    (found,) = client._session.json(
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
    return dict(found)


def pool_results(
    client: BaseClient,
    query_set: str,
    configurations: Sequence[Mapping[str, Any]] = ({},),
    depth: int = 10,
    *,
    judge: str | None = None,
    seed: int = 0,
    query_ids: Sequence[str] | None = None,
) -> list[dict[str, Any]]:
    """Return the results that a judge of a query set has to judge: the first results of several configurations, each
    once.

    configurations: a JSON array of configurations as evaluate takes them. depth: the number of results of each
    configuration, up to 1000. judge: leave out results that this judge has graded with 0 or more; null leaves out
    results that any judge has graded. query_ids: the queries to pool; null for all. The rows of a query are shuffled
    by the seed, and do not tell which configuration found them. In a query set of documents, chunk_index is null, and
    chunk_id, title and content come from the highest-ranked chunk. Store the grades with store_judgments.

    Maps to braid.pool_results. Raise NotFoundError, InvalidArgumentError, LimitExceededError.
    """
    found: list[dict[str, Any]] = client._session.json_rows(
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
        query_ids=None if query_ids is None else as_list(query_ids, "query_ids"),
    )
    return found


def judge_agreement(
    client: BaseClient, query_set: str, judge: str, reference: str | None = None
) -> dict[str, Any]:
    """Tell how far a judge agrees with another one, on the results that both have graded with 0 or more.

    judge: the name of the judge. reference: the other judge; null takes the median of all other judges' grades, the
    lower of two. Return an object with judged and reference_judged (how many results each has graded), judged_by_both,
    and equal (the share of equal grades). Cohen's kappa is in kappa; weighted_kappa uses squared differences.
    relevant_equal and relevant_kappa only tell relevant from not relevant. grades has the number of times that each
    pair of grades occurs. Kappa is 1 for perfect agreement, 0 for agreement by chance, and null where chance alone
    would always agree.

    Maps to braid.judge_agreement. Raise NotFoundError, InvalidArgumentError.
    """
    (found,) = client._session.json(
        "judge_agreement",
        "query_set => %(query_set)s::text, judge => %(judge)s::text, reference => %(reference)s::text",
        query_set=query_set,
        judge=judge,
        reference=reference,
    )
    return dict(found)


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
    """Try other rankings on judged queries, and tell which one is best and what it gains on queries that did not
    choose it.

    search_space: an object of lists, such as {"k1": [0.9, 1.2], "title_weight": [1, 2]}. Its keys are settings of
    set_ranking, and candidate_count, ef_search and boosts. Null tries the weights and smoothing in hybrid searches
    with fewer than 60 queries, else many settings. A key that changes nothing in these searches is refused. budget:
    the number of configurations to evaluate, including the present one. If there are more combinations, a random
    sample of them is evaluated. configuration: the settings of the searches as for evaluate, without the keys of
    search_space. metric: the metric to choose by. judge: used as by evaluate. fold_count: must be 2 to 5. Return the
    result of choose_configuration; chosen has ranking, for set_ranking, and search_arguments, which searches must give
    themselves. It only reads, and runs budget × judged queries searches in one statement, so mind statement_timeout.
    At least 20 queries must have a relevant result. The same seed gives the same result.

    Maps to braid.tune. Raise NotFoundError, InvalidArgumentError, LimitExceededError.
    """
    (found,) = client._session.json(
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
    return dict(found)


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
    """Return the configurations that tune would evaluate, to evaluate them one by one.

    The arguments are as in tune. place: 1 is the present ranking. changes: the settings drawn from the search space.
    candidate: the configuration for evaluate. Give the results of evaluate, in this order, to choose_configuration.
    combination_count: the number of combinations of the search space and the present values.

    Maps to braid.plan_tuning. Raise NotFoundError, InvalidArgumentError, LimitExceededError.
    """
    found: list[dict[str, Any]] = client._session.json_rows(
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
    return found


def choose_configuration(
    client: BaseClient,
    evaluations: Sequence[Mapping[str, Any]],
    metric: str = "ndcg@10",
    *,
    fold_count: int = 5,
    resample_count: int = 2000,
    seed: int = 0,
) -> dict[str, Any]:
    """Choose the best of several evaluated configurations, and tell what choosing gains on queries that had no part in
    the choice.

    evaluations: an array of results of evaluate for the same queries, one per configuration, the present configuration
    first. metric: the metric to choose by. fold_count: must be 2 to 5. resample_count: the number of samples drawn,
    100 to 100000. The queries are split into fold_count folds. For each fold, the queries of the other folds choose
    the configuration with the highest mean, and the queries of the fold measure it. held_out: the gain over the
    present configuration measured this way, its 95 % interval and p_value. Its interval comes from a bootstrap of the
    queries, widened because folds share the queries that choose. Its p_value comes from a randomisation test that
    chooses anew each time. If the interval reaches 0, query_count_needed estimates how many queries would decide.
    chosen: the configuration that all queries choose; its mean is too high, because it is measured on the queries that
    chose it. folds: the configuration and the gain of each fold. tried: the mean of each configuration.

    Maps to braid.choose_configuration. Raise InvalidArgumentError, LimitExceededError.
    """
    (found,) = client._session.json(
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
    return dict(found)
