"""Print the gain of late interaction with the offline model's token vectors on the judged sets, through pgbraid. The
weight is chosen on one half of the queries and reported on the other."""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
from psycopg.types.json import Jsonb

import pgbraid
from benchmarks.full_text.report import say, table
from benchmarks.quality.measures import Values, interval, ndcg_at_10
from benchmarks.quality.sets import JudgedSet, Query, read_set
from benchmarks.search import DATA
from pgbraid import embedded
from pgbraid.embedders import LocalEmbedder
from pgbraid.install import install
from pgbraid.pooling import pool_tokens
from support.loading import Connection

WEIGHTS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality.late_interaction", description=__doc__)
    parser.add_argument("--sets", default="cranfield,cisi,scifact", help="default: %(default)s")
    parser.add_argument("--counts", default="32", help="vectors a chunk; several measure each, 512 is unpooled")
    parser.add_argument("--candidates", type=int, default=50)
    parser.add_argument("--postgres-version", type=int, default=embedded.DEFAULT_VERSION)
    arguments = parser.parse_args()
    with ExitStack() as stack:
        data_dir = Path(tempfile.mkdtemp(prefix="pgbraid-bench-"))
        stack.callback(shutil.rmtree, data_dir)
        stack.callback(embedded.stop, data_dir)
        dsn = embedded.ensure_running(data_dir, arguments.postgres_version).dsn
        install(dsn)
        db = stack.enter_context(psycopg.connect(dsn, autocommit=True))
        embedder = LocalEmbedder()
        rows = []
        for name in arguments.sets.split(","):
            judged = read_set(DATA / name, "test")
            db.execute("select braid.create_collection(%s)", (name,))
            judged.load(db)
            for count in map(int, arguments.counts.split(",")):
                # Another model name makes pgbraid compute the vectors again with this pooling.
                embedder.model_name = f"{LocalEmbedder.model_name} {count}"
                db.execute("select braid.set_token_vectors(%s, %s, %s)", (name, embedder.model_name, count))
                with pgbraid.connect(dsn, embedder=embedder) as client:
                    started = time.process_time()
                    client.embed_token_vectors(name)
                    seconds = time.process_time() - started
                rows.append((f"{name}, {count}", measured(db, judged, embedder, arguments.candidates, seconds)))
                say(f"{name}, {count}: done")
        table(
            "late interaction",
            ["weight", "without", "with", "95 % of the difference", "weight 1", "ms", "more ms", "bytes", "s"],
            rows,
        )


def measured(db: Connection, judged: JudgedSet, embedder: LocalEmbedder, candidates: int, seconds: float) -> list[str]:
    (size,) = db.execute(
        "select avg(pg_column_size(vectors)) from braid_store.token_vectors t join braid_store.collections c on "
        "c.id = t.collection_id where c.name = %s",
        (judged.name,),
    ).fetchall()[0]
    plain, plain_ms = ranked(db, judged, None)
    options = [
        {"vectors": [str(row) for row in pool_tokens(embedder.embed_tokens([query.text])[0], 64).tolist()]}
        for query in judged.queries
    ]
    values: dict[float, Values] = {}
    for weight in WEIGHTS:
        found, ms = ranked(db, judged, [{**option, "weight": weight, "candidates": candidates} for option in options])
        values[weight] = found
    choosing, reporting = np.arange(len(plain)) % 2 == 0, np.arange(len(plain)) % 2 == 1
    best = max(WEIGHTS, key=lambda weight: float(values[weight][choosing].mean()))
    differences = (values[best] - plain)[reporting]
    low, high = interval(differences)
    for weight in WEIGHTS:
        say(f"{weight}: {values[weight].mean():.4f}")
    return [
        f"{best}",
        f"{plain[reporting].mean():.4f}",
        f"{values[best][reporting].mean():.4f}",
        f"{low:+.4f} to {high:+.4f}",
        f"{values[1.0][reporting].mean():.4f}",
        f"{plain_ms:.1f}",
        f"{ms - plain_ms:+.1f}",
        f"{float(size):,.0f}",
        f"{seconds:.0f}",
    ]


def ranked(db: Connection, judged: JudgedSet, options: list[Mapping[str, Any]] | None) -> tuple[Values, float]:
    """Return nDCG@10 of each query, and the median time."""
    found, times = [], []
    for place, query in enumerate(judged.queries):
        started = time.perf_counter()
        ranking = rank(db, judged, query, {} if options is None else {"late_interaction": options[place]})
        times.append(1000 * (time.perf_counter() - started))
        found.append(ndcg_at_10(ranking, query.relevance))
    return np.array(found), float(np.median(times))


def rank(db: Connection, judged: JudgedSet, query: Query, options: Mapping[str, Any]) -> list[str]:
    rows = db.execute(
        "select external_id, chunk_index from braid.hybrid_search(query_text => %s, query_embedding => %s::vector, "
        "match_count => 10, collection => %s, options => %s)",
        (query.text, query.embedding, judged.name, Jsonb(options)),
    )
    return [judged.judged_id(*row) for row in rows.fetchall()]


if __name__ == "__main__":
    main()
