"""Measure searches by an index over vectors: under a filter, and among equal vectors."""

from __future__ import annotations

import numpy as np

from benchmarks.pains.engine import ENGLISH, VECTOR, Chunk, Document, Engine, Query
from benchmarks.pains.pain import Figure, Pain
from benchmarks.pains.texts import made_vectors
from benchmarks.semantic.corpus import Vectors

COUNT, DIMENSIONS, QUERIES = 4000, 64, 40


class ShortPages(Pain):
    title = "Short pages under a filter"
    main = ("shortest", 1)
    threads = (
        "https://github.com/pgvector/pgvector/issues/259",
        "https://github.com/pgvector/pgvector/issues/671",
        "https://github.com/discourse/discourse-ai/pull/1133",
    )
    question = "Ten rows are asked for, and more than ten match the filter: do ten come?"
    method = (
        "4,000 made vectors with an index. A filter leaves about every third, tenth and fiftieth row. The search "
        "is by vector alone. Settings are the defaults: pgvector's `hnsw.iterative_scan` is off. Passes if no page "
        "is short."
    )
    SHARES = (3, 10, 50)

    def measure(self, engine: Engine) -> Figure:
        count = int(COUNT * self.scale)
        rows = made_vectors(count, DIMENSIONS, 2)
        # A row is of one kind only; the kinds are as rare as the shares say.
        kinds = [next((f"k{share}" for share in sorted(self.SHARES, reverse=True) if number % share == 1), "")
                 for number in range(count)]  # fmt: skip
        engine.create("filtered", DIMENSIONS, ENGLISH)
        engine.write(
            "filtered",
            [Document(f"d{number}", [Chunk(f"text {number}", rows[number].tolist())], kind=kinds[number])
             for number in range(count)],
            None,
        )  # fmt: skip
        engine.settle("filtered")
        queries = made_vectors(QUERIES, DIMENSIONS, 3)
        found = {
            share: [
                len(engine.search("filtered", Query("", vector.tolist(), VECTOR, kind=f"k{share}")))
                for vector in queries
            ]
            for share in self.SHARES
        }
        pages = [length for lengths in found.values() for length in lengths]
        return {
            **{f"rows, 1 in {share}": float(np.mean(lengths)) for share, lengths in found.items()},
            "shortest": min(pages),
        }

    def passes(self, figure: Figure) -> bool:
        return figure["shortest"] == 10


class EqualVectors(Pain):
    title = "Many equal vectors spoil the index"
    main = ("found among them, %", 1)
    threads = (
        "https://github.com/pgvector/pgvector/issues/837",
        "https://github.com/pgvector/pgvector/issues/480",
        "https://github.com/qdrant/qdrant/pull/10239",
    )
    question = "Three of four texts are the same, such as an empty page: are the others still found?"
    method = (
        "1,000 made vectors, and 3,000 times one more, mixed. The searches are for vectors near the different ones. "
        "The figure is the share of the ten nearest that is found. Passes if it falls by no more than 5 %."
    )
    TIMES = 3

    def measure(self, engine: Engine) -> Figure:
        count = int(COUNT * self.scale) // (self.TIMES + 1)
        rows = made_vectors(count, DIMENSIONS, 4)
        one = made_vectors(1, DIMENSIONS, 5)[0]
        different, mixed = [], []
        for number in range(count):
            for copy in range(self.TIMES):
                mixed.append(Document(f"e{number}-{copy}", [Chunk(f"page {number}", one.tolist())]))
            different.append(Document(f"d{number}", [Chunk(f"text {number}", rows[number].tolist())]))
            mixed.append(different[-1])
        queries = made_vectors(QUERIES, DIMENSIONS, 6)
        shares = {}
        for name, documents in (("different", different), ("equal", mixed)):
            engine.create(name, DIMENSIONS, ENGLISH)
            engine.write(name, documents, None)
            engine.settle(name)
            shares[name] = [self._share(engine, name, vector, rows, one) for vector in queries]
        return {
            "found without equal vectors, %": 100 * float(np.mean(shares["different"])),
            "found among them, %": 100 * float(np.mean(shares["equal"])),
        }

    def _share(self, engine: Engine, name: str, vector: Vectors, rows: Vectors, one: Vectors) -> float:
        """Return the share of the ten nearest different vectors that are found before the equal ones."""
        nearest = [number for number in np.argsort(-(rows @ vector))[:10] if rows[number] @ vector > one @ vector]
        hits = {hit.document for hit in engine.search(name, Query("", vector.tolist(), VECTOR))}
        return len(hits & {f"d{number}" for number in nearest}) / len(nearest) if nearest else 1.0

    def passes(self, figure: Figure) -> bool:
        return figure["found among them, %"] >= figure["found without equal vectors, %"] - 5
