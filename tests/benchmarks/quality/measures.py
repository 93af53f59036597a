"""Compute measures of rankings, and the confidence in a difference."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from support.judged import ndcg

Values = npt.NDArray[np.float64]
RESAMPLES = 10_000


def ndcg_at_10(ranking: Sequence[str], relevance: dict[str, int]) -> float:
    return ndcg(ranking, relevance)


def recall_at_100(ranking: Sequence[str], relevance: dict[str, int]) -> float:
    wanted = {document for document, grade in relevance.items() if grade > 0}
    return len(wanted.intersection(ranking[:100])) / len(wanted)


def mrr_at_10(ranking: Sequence[str], relevance: dict[str, int]) -> float:
    return next((1 / place for place, document in enumerate(ranking[:10], 1) if relevance.get(document, 0) > 0), 0.0)


def success_at_1(ranking: Sequence[str], relevance: dict[str, int]) -> float:
    return float(bool(ranking) and relevance.get(ranking[0], 0) > 0)


MEASURES = {
    "nDCG@10": ndcg_at_10,
    "recall@100": recall_at_100,
    "MRR@10": mrr_at_10,
    "success@1": success_at_1,
}


def interval(values: Values) -> tuple[float, float]:
    """Return the range of 95 % of the means of samples drawn with replacement (percentile bootstrap)."""
    random = np.random.default_rng(1)
    means = values[random.integers(0, len(values), (RESAMPLES, len(values)))].mean(axis=1)
    low, high = np.percentile(means, (2.5, 97.5))
    return float(low), float(high)


def randomisation_p(first: Values, second: Values) -> float:
    """Return the p value of a two-sided paired randomisation test (Smucker, Allan & Carterette 2007): the share of
    random swaps of the rankings with an equal or larger difference of means."""
    random = np.random.default_rng(1)
    differences = first - second
    signs = random.choice((-1.0, 1.0), (RESAMPLES, len(differences)))
    return float((np.abs((signs * differences).mean(axis=1)) >= abs(differences.mean()) - 1e-12).mean())
