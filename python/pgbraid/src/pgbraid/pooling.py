"""Fewer vectors for the tokens of a text."""

from __future__ import annotations

import numpy as np

from pgbraid.embedders.protocol import Vectors


def pool_tokens(vectors: Vectors, count: int) -> Vectors:
    """At most `count` unit vectors for those of a text's tokens: the two groups of tokens that are most alike are put
    together until so few are left, and each gets its mean. The groups are in the order of their first tokens, and the
    same vectors always give the same ones.

    Clavié, Chaffin & Adams 2024, "Reducing the Footprint of Multi-Vector Retrieval with Minimal Performance Impact via
    Token Pooling": hierarchical clustering by Ward's criterion (Lance & Williams 1967 for its recurrence).
    """
    size = len(vectors)
    if size <= count:
        return vectors
    distances = np.asarray(2 - 2 * (vectors @ vectors.T), dtype=np.float64)
    np.fill_diagonal(distances, np.inf)
    counts = np.ones(size)
    groups = np.arange(size)
    for _ in range(size - count):
        first, second = divmod(int(distances.argmin()), size)
        first, second = min(first, second), max(first, second)
        joined = distances[first, second]
        merged = (counts + counts[first]) * distances[first] + (counts + counts[second]) * distances[second]
        merged = (merged - counts * joined) / (counts + counts[first] + counts[second])
        merged[[first, second]] = np.inf
        distances[first] = distances[:, first] = merged
        distances[second] = distances[:, second] = np.inf
        counts[first] += counts[second]
        groups[groups == second] = first
    firsts = np.unique(groups)
    pooled = np.stack([vectors[groups == first].sum(axis=0) for first in firsts])
    lengths = np.linalg.norm(pooled, axis=1, keepdims=True)
    # A group that cancels itself out has no direction but that of its first token.
    pooled = np.where(lengths < 1e-3, vectors[firsts], pooled / np.maximum(lengths, 1e-3))
    return pooled.astype(np.float32)
