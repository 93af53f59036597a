"""Calls of evaluation. Made by tools/client_calls.py. DO NOT CHANGE."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pgbraid.arguments import OtherNames, as_list, optional_json, row_count, to_json

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from pgbraid.async_client.base import BaseClient


async def create_query_set(
    client: BaseClient, query_set: str, level: str = "document", *, description: str = ""
) -> bool:
    """Create a set of queries of the session's tenant, by which searches are evaluated.

    level: what its judgments are about, document or chunk. Chunks are named by their place in a document, so judgments
    of documents outlive other chunk sizes. One that is there gets the description; another level is refused with
    22023. Returns true if it is new.

    Maps to braid.create_query_set. Raise InvalidArgumentError.
    """
    found = await client._session.value(
        "create_query_set",
        "query_set => %(query_set)s::text, level => %(level)s::text, description => %(description)s::text",
        query_set=query_set,
        level=level,
        description=description,
    )
    return bool(found)


async def store_queries(
    client: BaseClient, query_set: str, queries: Sequence[Mapping[str, Any]], collection: str = "default"
) -> int:
    """Store queries of a query set, in place of those with the same query_id.

    queries: a JSON array of objects with query_id, text and, if you like, filters (added to those of each evaluation)
    and embedding; at most 10000. collection: whose model made the embeddings, and whose metadata keys the filters
    name. A query may have an embedding of each of several models. A query that is stored again keeps its judgments,
    and with the same text the embeddings that it had. Return how many queries were given.

    Maps to braid.store_queries. Raise NotFoundError, InvalidArgumentError, LimitExceededError.
    """
    found = await client._session.value(
        "store_queries",
        "query_set => %(query_set)s::text, queries => %(queries)s::jsonb, collection => %(collection)s::text",
        query_set=query_set,
        queries=to_json(list(queries), "queries"),
        collection=collection,
    )
    return int(found)


async def store_judgments(client: BaseClient, query_set: str, judgments: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Store judgments of a query set: how relevant documents, or chunks, are to its queries.

    judgments: a JSON array of objects with query_id, external_id, grade and, if you like, judge; in a query set of
    chunks also chunk_index; at most 100000. A grade above 0 is relevant, 0 is not; one below 0 counts as not judged,
    as in trec_eval; null removes the judgment. judge: who says so, "default" if left out. Several judges are kept
    apart; a judge's later grade replaces the earlier one, and two in one call are refused. The documents need not be
    there yet. Return an object: stored (new ones), replaced (other grades), unchanged and removed.

    Maps to braid.store_judgments. Raise NotFoundError, InvalidArgumentError, LimitExceededError.
    """
    (found,) = await client._session.json(
        "store_judgments",
        "query_set => %(query_set)s::text, judgments => %(judgments)s::jsonb",
        query_set=query_set,
        judgments=to_json(list(judgments), "judgments"),
    )
    return dict(found)


async def list_query_sets(client: BaseClient) -> list[dict[str, Any]]:
    """List the query sets of the session's tenant, in the order of their names (by bytes).

    judged_count: how many of the queries have judgments. judges: who gave them.

    Maps to braid.list_query_sets.
    """
    found: list[dict[str, Any]] = await client._session.json_rows("list_query_sets")
    return found


async def list_queries(
    client: BaseClient,
    query_set: str,
    *,
    match_count: int | None = None,
    after: str | None = None,
    **other_names: Unpack[OtherNames],
) -> list[dict[str, Any]]:
    """List the queries of a query set, in the order of their ids (by bytes).

    match_count: how many, up to 10000. after: the query_id that the page before ended with; null for the first page.
    embedding_models: the models of which it has an embedding.

    Maps to braid.list_queries. `match_count`, or `limit`, is 100 by default. Raise NotFoundError,
    InvalidArgumentError.
    """
    match_count = row_count(match_count, other_names, 100)
    found: list[dict[str, Any]] = await client._session.json_rows(
        "list_queries",
        "query_set => %(query_set)s::text, match_count => %(match_count)s::int, after => %(after)s::text",
        query_set=query_set,
        match_count=match_count,
        after=after,
    )
    return found


async def drop_query_set(client: BaseClient, query_set: str) -> bool:
    """Drop a query set of the session's tenant, with its queries and judgments.

    Returns true, or false if there is none of that name.

    Maps to braid.drop_query_set.
    """
    found = await client._session.value("drop_query_set", "query_set => %(query_set)s::text", query_set=query_set)
    return bool(found)


async def evaluate(
    client: BaseClient,
    query_set: str,
    configuration: Mapping[str, Any] | None = None,
    metrics: Sequence[str] = ("ndcg@10", "recall@10", "precision@10", "mrr@10", "map@10", "judged@10"),
    *,
    judge: str | None = None,
    details: bool = False,
) -> dict[str, Any]:
    """Run a search for each judged query of a query set, and measure the rankings.

    configuration: the arguments of search_json, such as {"fusion": "rrf", "options": {"boosts": [{"recency":
    {"half_life": "30 days"}}]}}, and mode: hybrid, full_text or semantic. match_count is the depth of the deepest
    metric unless given, and at least 100 with a metric without @k. In a query set of documents, the option group_by is
    "document" unless given. metrics: ndcg, map and mrr with or without @k, recall@k, precision@k, success@k and
    judged@k, as trec_eval has them. Each judged query counts, also one without rows or without anything relevant, as
    0. judge: whose judgments; null: the median of all judges', the lower one of two; grades below 0 are no votes.
    details: with the rows of each query. Return an object: metrics (means), queries (each with its metrics, rows found
    and not judged), counts, warnings, latency and ranking, which is what set_ranking needs for the collection to rank
    so. Give two of them to compare_evaluations.

    Maps to braid.evaluate. Raise NotFoundError, InvalidArgumentError, LimitExceededError.
    """
    (found,) = await client._session.json(
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


async def compare_evaluations(
    client: BaseClient,
    baseline: Mapping[str, Any],
    candidate: Mapping[str, Any],
    *,
    resample_count: int = 2000,
    seed: int = 0,
    changed_count: int = 10,
) -> dict[str, Any]:
    """Compare two evaluations of a query set, query by query, and tell how sure the difference is.

    baseline, candidate: what evaluate returned for two configurations. resample_count: how many samples are drawn, 100
    to 100000. changed_count: how many changed queries are listed, 0 to 10000. Return an object with, for each metric
    that both have: both means, their difference (candidate - baseline), interval (95 %, bootstrap of the queries),
    p_value (two-sided paired randomisation test), wins, losses and ties of the candidate, and changed: the queries
    that changed most. The same seed gives the same result. Of several metrics, one will differ by chance: decide
    before which counts.

    Maps to braid.compare_evaluations. Raise InvalidArgumentError, LimitExceededError.
    """
    (found,) = await client._session.json(
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
    """Return what a judge of a query set has to look at: the first results of several configurations, each once.

    configurations: a JSON array of configurations as evaluate takes them. depth: how many results of each, up to 1000.
    judge: who judges; what this judge has given a grade of 0 or more is left out; null: what anybody has. query_ids:
    of which queries; null: of all. Rows of a query are shuffled, by the seed, and do not tell which configuration
    found them. In a query set of documents chunk_index is null, and chunk_id, title and content are of the chunk that
    stood highest. Store the grades with store_judgments.

    Maps to braid.pool_results. Raise NotFoundError, InvalidArgumentError, LimitExceededError.
    """
    found: list[dict[str, Any]] = await client._session.json_rows(
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


async def judge_agreement(
    client: BaseClient, query_set: str, judge: str, reference: str | None = None
) -> dict[str, Any]:
    """Tell how far a judge agrees with another one, by what both have graded with 0 or more.

    reference: with whom; null: with the median of all others, of two the lower grade. Return an object: judged and
    reference_judged (how much each has graded), judged_by_both, equal (the share of equal grades), kappa (Cohen's),
    weighted_kappa (with squared differences), relevant_equal and relevant_kappa (of relevant or not), and grades: how
    often which grades meet. Kappa is 1 for perfect agreement, 0 for that of chance, and null where chance alone would
    agree always.

    Maps to braid.judge_agreement. Raise NotFoundError, InvalidArgumentError.
    """
    (found,) = await client._session.json(
        "judge_agreement",
        "query_set => %(query_set)s::text, judge => %(judge)s::text, reference => %(reference)s::text",
        query_set=query_set,
        judge=judge,
        reference=reference,
    )
    return dict(found)


async def tune(
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
    """Try other rankings on judged queries, and tell which is best and what that gains on queries that did not choose
    it.

    search_space: an object of lists, such as {"k1": [0.9, 1.2], "title_weight": [1, 2]}, with the keys of set_ranking,
    and candidate_count, ef_search and boosts; null: a usual one. budget: how many configurations are evaluated, the
    present one among them: all combinations if there are no more, else combinations drawn at random. A key that
    changes nothing in these searches is refused. configuration: as for evaluate: what searches ask for, without the
    keys of search_space. metric: the metric to choose by. judge: as for evaluate. fold_count: 2 to 5. Return what
    choose_configuration does; chosen has ranking, for set_ranking, and search_arguments, which searches must give
    themselves. It only reads, and takes as long as budget × judged queries searches, in one statement: mind
    statement_timeout. At least 30 queries must have something relevant. The same seed gives the same result.

    Maps to braid.tune. Raise NotFoundError, InvalidArgumentError, LimitExceededError.
    """
    (found,) = await client._session.json(
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


async def plan_tuning(
    client: BaseClient,
    query_set: str,
    search_space: Mapping[str, Sequence[Any]] | None = None,
    budget: int = 50,
    configuration: Mapping[str, Any] | None = None,
    *,
    judge: str | None = None,
    seed: int = 0,
) -> list[dict[str, Any]]:
    """Return the configurations that tune would evaluate, to do it one by one.

    The arguments are as in tune. place: 1 is the present ranking. changes: what is drawn from the search space.
    candidate: the configuration for evaluate; give what it returned for each, in this order, to choose_configuration.
    combination_count: how many combinations the search space and the present values have.

    Maps to braid.plan_tuning. Raise NotFoundError, InvalidArgumentError, LimitExceededError.
    """
    found: list[dict[str, Any]] = await client._session.json_rows(
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


async def choose_configuration(
    client: BaseClient,
    evaluations: Sequence[Mapping[str, Any]],
    metric: str = "ndcg@10",
    *,
    fold_count: int = 5,
    resample_count: int = 2000,
    seed: int = 0,
) -> dict[str, Any]:
    """Choose the best of several evaluated configurations, and tell what choosing gains on queries that had no part in
    it.

    evaluations: an array of what evaluate returned for each, the present configuration first; all of the same queries.
    metric: the metric to choose by. fold_count: 2 to 5. resample_count: how many samples are drawn, 100 to 100000. The
    queries are dealt into fold_count folds. Of each fold, the queries of the others choose the configuration with the
    highest mean, and those of the fold measure it. held_out: the gain over the present configuration so measured, its
    95 % interval (bootstrap of the queries, widened since folds share the queries that choose) and p_value (a
    randomisation test that chooses anew each time); if the interval reaches 0, about how many queries would tell
    (query_count_needed). chosen: what all queries choose; its mean is on the queries that chose it, so it flatters.
    folds: what each fold was measured with. tried: the mean of each configuration.

    Maps to braid.choose_configuration. Raise InvalidArgumentError, LimitExceededError.
    """
    (found,) = await client._session.json(
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
