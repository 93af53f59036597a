"""Measure the time to a stream's first and last page: `python -m benchmarks.streaming` in tests/."""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path
from typing import Any

import pgbraid
from benchmarks.full_text.report import say, table
from benchmarks.quality.sets import read_set
from benchmarks.search import DATA, fresh_database
from pgbraid import embedded
from pgbraid.embedders import LocalEmbedder
from pgbraid.embedders.protocol import Vector

COLLECTION = "locomo"
# The number of first queries that are not counted.
WARM = 5


class Service(LocalEmbedder):
    """Embed with the offline model as if it were a distant service; the vectors are computed in advance."""

    def __init__(self, seconds: float, queries: list[str]) -> None:
        super().__init__()
        self._seconds = seconds
        self._vectors: dict[str, Vector] = dict(zip(queries, self.embed_documents(queries), strict=True))

    def embed_query(self, text: str) -> Vector:
        time.sleep(self._seconds)
        return self._vectors[text] if text in self._vectors else super().embed_query(text)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.streaming", description=__doc__)
    parser.add_argument("--queries", type=int, default=60)
    parser.add_argument("--data", type=Path, default=DATA, help="folder of judged collections")
    parser.add_argument("--postgres-version", type=int, default=embedded.DEFAULT_VERSION)
    arguments = parser.parse_args()
    if not arguments.data.is_dir():
        parser.exit(1, f"the test collections are not there ({arguments.data})\n")
    judged = read_set(arguments.data / COLLECTION, "test")
    # Queries are not repeated, because the client would have cached the vectors.
    texts = list(dict.fromkeys(query.text for query in judged.queries))[: arguments.queries + WARM]
    embedders: dict[str, Any] = {
        "the offline model": LocalEmbedder(),
        "a service that takes 100 ms": Service(0.1, texts),
    }
    with fresh_database(arguments.postgres_version) as db:
        db.execute("select braid.create_collection(%s)", (COLLECTION,))
        judged.load(db)
        db.execute("select braid.maintain('1 minute')")
        db.execute("vacuum analyze")
        say(f"{len(judged.documents):,} chunks, {len(texts) - WARM} queries")
        rows = []
        for label, embedder in embedders.items():
            embedder.embed_documents(["warm up"])
            with pgbraid.connect(db.info.dsn, embedder=embedder) as client:
                pages = [measured(client, text) for text in texts][WARM:]
            rows.append((label, [f"{statistics.median(times):.1f}" for times in zip(*pages, strict=True)]))
        table("ms p50", ["first page", "last page"], rows)


def measured(client: pgbraid.Client, text: str) -> tuple[float, float]:
    first, last = client.search_stream(text, collection=COLLECTION)
    assert (first.stage, last.stage) == ("full_text", "fused")
    return first.elapsed_ms, last.elapsed_ms


if __name__ == "__main__":
    main()
