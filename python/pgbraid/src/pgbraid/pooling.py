"""Reduce the number of vectors for a text's tokens."""

from __future__ import annotations

import numpy as np

from pgbraid.embedders.protocol import Vectors


def pool_tokens(vectors: Vectors, count: int) -> Vectors:
    """Return at most `count` unit vectors for a text's token vectors. Merge the two most similar groups of tokens until
    `count` groups remain; return each group's mean, in the order of first tokens. The result is deterministic.

    Clavié, Chaffin & Adams 2024, "Reducing the Footprint of Multi-Vector Retrieval with Minimal Performance Impact via
    Token Pooling", describe it: hierarchical clustering by Ward's criterion (Lance & Williams 1967 for its recurrence).
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
    # The mean of a group that cancels out has no direction, so take its first token's.
    pooled = np.where(lengths < 1e-3, vectors[firsts], pooled / np.maximum(lengths, 1e-3))
    return pooled.astype(np.float32)
