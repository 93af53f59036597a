"""Fit a weighted sum of features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pgbraid_tools.learning.queries import Floats, JudgedQuery

__all__ = ["Linear", "fit_linear"]

# Cross-validation picks the penalty with the lowest loss; on a tie, the earlier one.
PENALTIES = (1.0, 0.1, 0.01, 0.001)
FOLDS = 3
MOST_STEPS = 100


@dataclass(frozen=True)
class Linear:
    intercept: float
    weights: Floats

    def sums(self, features: Floats) -> Floats:
        return self.intercept + _product(features, self.weights)


@dataclass(frozen=True)
class _Stacked:
    """Hold the candidates of all queries in one array, with the share of its query's probability that each should
    get."""

    features: Floats
    wanted: Floats
    starts: list[int]
    lengths: list[int]


def fit_linear(queries: Sequence[JudgedQuery], score: int) -> Linear:
    """Fit the weights that rank relevant candidates first, with the listwise loss of Cao et al. 2007 (ListNet).

    A penalty keeps the order close to the current score, which is the feature at index `score`.
    """
    means, deviations = _scale(queries)
    stacked = [_stack([query], means, deviations) for query in queries]
    penalty = PENALTIES[0]
    if len(queries) >= 2 * FOLDS:
        losses = [0.0] * len(PENALTIES)
        for fold in range(FOLDS):
            kept = _join([part for place, part in enumerate(stacked) if place % FOLDS != fold])
            left_out = _join(stacked[fold::FOLDS])
            start = _start(kept, score)
            for place, tried in enumerate(PENALTIES):
                losses[place] += _loss(left_out, _newton(kept, start, tried))
        penalty = PENALTIES[int(np.argmin(losses))]
    joined = _join(stacked)
    weights = _newton(joined, _start(joined, score), penalty)
    # Features with negligible weights are left out of the model.
    weights[np.abs(weights) < 1e-4 * np.abs(weights).max()] = 0.0
    weights = weights / deviations
    if not weights.any():
        weights[score] = 1.0
    return Linear(float(-(weights @ means)), weights)


def _scale(queries: Sequence[JudgedQuery]) -> tuple[Floats, Floats]:
    """Return the means, and the standard deviations within queries. A feature that never varies within a query gets
    the weight 0, because it cannot change an order."""
    features = np.concatenate([query.features for query in queries])
    squares = sum(((query.features - query.features.mean(axis=0)) ** 2).sum(axis=0) for query in queries)
    deviations = np.sqrt(squares / len(features))
    deviations[deviations <= 1e-9 * (1 + np.abs(features).max(axis=0))] = np.inf
    return features.mean(axis=0), deviations


def _stack(queries: Sequence[JudgedQuery], means: Floats, deviations: Floats) -> _Stacked:
    lengths = [len(query.units) for query in queries]
    return _Stacked(
        (np.concatenate([query.features for query in queries]) - means) / deviations,
        np.concatenate([query.grades / query.grades.sum() for query in queries]),
        [0, *np.cumsum(lengths)[:-1].tolist()],
        lengths,
    )


def _join(parts: Sequence[_Stacked]) -> _Stacked:
    lengths = [length for part in parts for length in part.lengths]
    return _Stacked(
        np.concatenate([part.features for part in parts]),
        np.concatenate([part.wanted for part in parts]),
        [0, *np.cumsum(lengths)[:-1].tolist()],
        lengths,
    )


def _start(stacked: _Stacked, score: int) -> Floats:
    """Return weights that use the current score alone, fitted to how well it predicts relevance."""
    only = _Stacked(stacked.features[:, [score]], stacked.wanted, stacked.starts, stacked.lengths)
    weights = np.zeros(stacked.features.shape[1])
    weights[score] = max(float(_newton(only, np.zeros(1), 0.001)[0]), 0.0)
    return weights


def _newton(stacked: _Stacked, start: Floats, penalty: float) -> Floats:
    """Minimise the loss by Newton steps, each halved until the loss falls. The penalty makes the convex loss
    strictly convex."""
    weights: Floats = start.copy()
    loss = _loss(stacked, weights) + penalty / 2 * float(((weights - start) ** 2).sum())
    for _ in range(MOST_STEPS):
        shares = _shares(stacked, weights)
        weighted = stacked.features * shares[:, None]
        means = np.add.reduceat(weighted, stacked.starts)
        count = len(stacked.lengths)
        gradient = np.einsum("ij,i->j", stacked.features, shares - stacked.wanted) / count + penalty * (weights - start)
        products = np.einsum("ij,ik->jk", stacked.features, weighted) - np.einsum("ij,ik->jk", means, means)
        hessian = products / count + penalty * np.eye(len(weights))
        step = np.linalg.solve(hessian, gradient)
        size = 1.0
        while size > 1e-8:
            tried: Floats = weights - size * step
            tried_loss = _loss(stacked, tried) + penalty / 2 * float(((tried - start) ** 2).sum())
            if tried_loss < loss:
                break
            size /= 2
        else:
            return weights
        ended = loss - tried_loss < 1e-12
        weights, loss = tried, tried_loss
        if ended:
            return weights
    return weights


def _shares(stacked: _Stacked, weights: Floats) -> Floats:
    """Return the softmax of each query."""
    sums = _product(stacked.features, weights)
    powers = np.exp(sums - np.repeat(np.maximum.reduceat(sums, stacked.starts), stacked.lengths))
    shares: Floats = powers / np.repeat(np.add.reduceat(powers, stacked.starts), stacked.lengths)
    return shares


def _loss(stacked: _Stacked, weights: Floats) -> float:
    sums = _product(stacked.features, weights)
    highest = np.maximum.reduceat(sums, stacked.starts)
    powers = np.exp(sums - np.repeat(highest, stacked.lengths))
    logs = highest + np.log(np.add.reduceat(powers, stacked.starts))
    return float((logs.sum() - (stacked.wanted * sums).sum()) / len(stacked.lengths))


def _product(features: Floats, weights: Floats) -> Floats:
    """Multiply on one thread: BLAS threads block each other on a busy machine, and the number of threads changes the
    last bits."""
    product: Floats = np.einsum("ij,j->i", features, weights)
    return product
