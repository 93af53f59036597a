"""Draw vectors that resemble embeddings: clusters of low intrinsic dimension, in many dimensions."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
DIMENSIONS = 384
TOPICS, INTRINSIC = 200, 24
SHARES = (1.0, 0.1, 0.01, 0.001, 0.0001)


class Corpus:
    """Draw one tenant's chunks. A chunk has a time, uncorrelated with its vector, and a topic near its vector."""

    def __init__(self, size: int, seed: int = 0, dimensions: int = DIMENSIONS) -> None:
        self.size = size
        self._rng = np.random.default_rng([seed, size])
        shape = np.random.default_rng(7)
        self._topics = shape.normal(size=(TOPICS, dimensions)).astype(np.float32)
        self._axes = shape.normal(size=(INTRINSIC, dimensions)).astype(np.float32)
        self.vectors, self.topics = self._draw(self._rng, size)
        # Filters select a share of the chunks by the order of time, or by the distance to one topic's centre.
        self.time_ranks = self._rng.permutation(size)
        distance = -(self.vectors @ (self._topics[0] / np.linalg.norm(self._topics[0])))
        self.topic_ranks = np.argsort(np.argsort(distance))

    def _draw(self, rng: np.random.Generator, count: int) -> tuple[Vectors, NDArray[np.int64]]:
        # As in text, some topics are much more common than others.
        weights = 1 / np.arange(1, TOPICS + 1)
        topics = rng.choice(TOPICS, count, p=weights / weights.sum())
        inner = rng.normal(size=(count, INTRINSIC)).astype(np.float32)
        noise = rng.normal(size=(count, self._axes.shape[1])).astype(np.float32)
        vectors = 0.6 * self._topics[topics] + 0.25 * inner @ self._axes + 0.25 * noise
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors.astype(np.float32), topics

    def queries(self, count: int) -> Vectors:
        return self._draw(np.random.default_rng([1, self.size]), count)[0]


def text(vector: Vectors) -> str:
    return "[" + ",".join(f"{x:.7g}" for x in vector.tolist()) + "]"


def copy_rows(ids: list[int], vectors: Vectors) -> Iterator[bytes]:
    """Yield rows of (bigint, vector) in PostgreSQL's binary COPY format."""
    yield b"PGCOPY\n\xff\r\n\0" + struct.pack(">ii", 0, 0)
    dimensions = vectors.shape[1]
    head = struct.pack(">i", 4 + 4 * dimensions) + struct.pack(">hh", dimensions, 0)
    swapped = vectors.astype(">f4")
    for chunk_id, vector in zip(ids, swapped, strict=True):
        yield struct.pack(">hiq", 2, 8, chunk_id) + head + vector.tobytes()
    yield struct.pack(">h", -1)


def document(number: int, corpus: Corpus) -> dict[str, Any]:
    return {
        "external_id": f"d{number}",
        "content": f"w{number % 1000}",
        "occurred_at": moment(int(corpus.time_ranks[number])),
        "metadata": {"topic_rank": int(corpus.topic_ranks[number])},
    }


def moment(minutes: int) -> str:
    return str(np.datetime64("2020-01-01T00:00:00") + np.timedelta64(minutes, "m")) + "Z"
