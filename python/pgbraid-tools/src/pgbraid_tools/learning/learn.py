"""Learn a model from judged candidates, and measure it on queries that it has not seen."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from pgbraid.errors import InvalidArgumentError
from pgbraid_tools.learning.linear import Linear, fit_linear
from pgbraid_tools.learning.queries import JudgedQuery, ndcg, read_queries
from pgbraid_tools.learning.ranking_models import Tree, make_ranking_model, sums

__all__ = ["Learned", "learn"]

FEWEST_QUERIES = 30
RESAMPLES = 2000
Kind = Literal["linear", "trees"]


@dataclass(frozen=True)
class Learned:
    """Hold a model and its nDCG@10 on queries left out of training.

    `baseline` is the nDCG@10 of the order without a model, `learned` the model's, `gain` the difference, and `interval`
    the 95 % confidence interval of the gain.
    """

    model: dict[str, Any]
    query_count: int
    taught_by: int
    folds: int
    baseline: float
    learned: float
    gain: float
    interval: tuple[float, float]
    wins: int
    losses: int
    ties: int


def learn(
    rows: Iterable[Mapping[str, Any]],
    *,
    kind: Kind = "linear",
    mode: str = "hybrid",
    of_chunks: bool = False,
    folds: int = 5,
    seed: int = 0,
    source: Mapping[str, Any] | None = None,
) -> Learned:
    """Learn a model from the rows of `client.ranking_features`.

    `kind` is linear, a weighted sum of the features, or trees, regression trees added to the weighted sum.
    Measure it by cross-validation: in each of `folds` rounds, learn without a share of the queries, then rank that
    share. `of_chunks` tells that the query set judges chunks, not documents. `mode` is the searches' mode; `source` is
    stored in the model under `learned`. The same rows and `seed` give the same model.

    Raise InvalidArgumentError for too few queries, MissingExtraError for trees without LightGBM.
    """
    if kind not in ("linear", "trees"):
        raise InvalidArgumentError(f"kind is {kind!r}", hint="use linear or trees")
    if not 2 <= folds <= 20:
        raise InvalidArgumentError(f"folds is {folds}", hint="use 2 to 20")
    found = list(rows)
    names = sorted({name for row in found if row["features"] for name in row["features"]})
    queries = read_queries(found, names, of_chunks=of_chunks)
    teaching = sum(query.teaches for query in queries)
    if teaching < FEWEST_QUERIES:
        raise InvalidArgumentError(
            f"{teaching} of {len(queries)} judged queries find something relevant and something else, fewer than"
            f" {FEWEST_QUERIES}",
            hint=f"judge at least {FEWEST_QUERIES - teaching} more queries; 100 or more make a model worth having",
        )

    order = sorted(range(len(queries)))
    random.Random(seed).shuffle(order)
    baselines = np.array([ndcg(query, None) for query in queries])
    values = np.zeros(len(queries))
    for fold in range(folds):
        left_out = set(order[fold::folds])
        kept = [query for place, query in enumerate(queries) if place not in left_out]
        model = _fit(kept, names, kind, mode, seed, {})
        for place in left_out:
            values[place] = ndcg(queries[place], _sums(model, queries[place], names))
    differences = values - baselines
    draws = np.random.default_rng(seed).integers(0, len(queries), (RESAMPLES, len(queries)))
    low, high = np.percentile(differences[draws].mean(axis=1), [2.5, 97.5])

    report = {
        "kind": kind,
        "queries": len(queries),
        "taught_by": teaching,
        "folds": folds,
        "seed": seed,
        "metric": "ndcg@10",
        "baseline": round(float(baselines.mean()), 6),
        "learned": round(float(values.mean()), 6),
        "gain": round(float(differences.mean()), 6),
        "interval": [round(float(low), 6), round(float(high), 6)],
    }
    return Learned(
        model=_fit(queries, names, kind, mode, seed, {**(source or {}), **report}),
        query_count=len(queries),
        taught_by=teaching,
        folds=folds,
        baseline=float(baselines.mean()),
        learned=float(values.mean()),
        gain=float(differences.mean()),
        interval=(float(low), float(high)),
        wins=int((differences > 1e-9).sum()),
        losses=int((differences < -1e-9).sum()),
        ties=int((np.abs(differences) <= 1e-9).sum()),
    )


def _fit(
    queries: Sequence[JudgedQuery], names: Sequence[str], kind: str, mode: str, seed: int, learned: Mapping[str, Any]
) -> dict[str, Any]:
    teaching = [query for query in queries if query.teaches]
    linear: Linear = fit_linear(teaching, names.index("score"))
    trees: list[Tree] = []
    if kind == "trees":
        from pgbraid_tools.learning.trees import fit_trees

        trees = fit_trees(teaching, linear, seed)
    return make_ranking_model(mode, names, linear, trees, learned)


def _sums(model: Mapping[str, Any], query: JudgedQuery, names: Sequence[str]) -> Any:
    return sums(model, query.features[:, [names.index(name) for name in model["features"]]])
