"""Compare semantic search with a bare index scan of pgvector that finds as much, on five kinds of data."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.full_text.report import number, p50, p95, say, table
from benchmarks.quality.sets import read_set
from benchmarks.search import DATA
from benchmarks.semantic.corpus import DIMENSIONS, Corpus, Vectors, copy_rows, text
from benchmarks.semantic.database import COLLECTION, READER, Bench, Connection, load, maintain

SEARCH = """
select score from braid.semantic_search(%(query)s::vector, 10, collection => %(collection)s)
"""
MODE = """
select braid.search_json(query_embedding => %(query)s::vector, match_count => 10, collection => %(collection)s)
  -> 'stats' ->> 'semantic_mode'
"""
WIDTHS = (40, 64, 100, 160, 250, 400, 640, 1000)
GOOD = 0.99
REAL_SETS = ("scifact", "locomo", "cranfield", "cisi")
# The share of the drifting vectors that arrives after the index was built, too small for maintenance to rebuild it.
LATE = 0.15


class Kind(Corpus):
    """Hold given vectors and questions instead of drawn ones."""

    def __init__(self, vectors: Vectors, asked: Vectors) -> None:
        self.size = len(vectors)
        self.vectors, self.asked = vectors, asked
        self.time_ranks = self.topic_ranks = np.arange(self.size)

    def queries(self, count: int) -> Vectors:
        return self.asked[:count]


def kinds(bench: Bench, names: list[str], sizes: list[int], query_count: int) -> None:
    rows = []
    for size in sizes:
        for name in names:
            tenant, kind = f"{name} {size}", KINDS[name](size, query_count)
            if name == "drifting":
                early = round(kind.size * (1 - LATE))
                load(bench, tenant, Kind(kind.vectors[:early], kind.asked))
                maintain(bench)
                load(bench, tenant, kind, stored=early)
            else:
                load(bench, tenant, kind)
            maintain(bench)
            bench.admin.execute("vacuum")
            rows.append((f"{name}, {kind.size:,}", _measured(bench, tenant, kind, query_count, name == "equal")))
            say(f"{rows[-1][0]}: {' '.join(rows[-1][1])}")
    table(
        "kinds of data",
        ["mode", "width", "recall", "ms, p50/p95", "CPU", "bare: width", "recall", "ms, p50/p95", "CPU", "CPU ratio"],
        rows,
    )


def _measured(bench: Bench, tenant: str, kind: Kind, query_count: int, has_duplicates: bool) -> list[str]:
    queries = [(text(query), _tenth(kind.vectors @ query)) for query in kind.queries(query_count)]
    shard = bench.shard(tenant)
    # A shard's index holds one of several equal vectors, so a bare scan of it would miss the others.
    bare = _bare_table(bench, kind) if shard is None or has_duplicates else f"braid_store.vectors_{shard['id']}"
    condition = "" if shard is None or has_duplicates else "where not is_duplicate"
    is_half = condition != "" and shard is not None and shard["index_type"] == "halfvec"
    indexed = f"halfvec({DIMENSIONS})" if is_half else f"vector({DIMENSIONS})"
    scan = f"""
        select 1 - (embedding <=> %(query)s::vector) from {bare} {condition}
        order by embedding::{indexed} <=> %(query)s::{indexed} limit 10
    """
    with bench.connect(READER, tenant) as reader, bench.connect("postgres", tenant) as free:
        free.execute("set jit = off")
        arguments = {"collection": COLLECTION}
        modes = Counter(
            mode for query, _ in queries[:20] for (mode,) in reader.execute(MODE, {**arguments, "query": query})
        )
        chosen, found = 0, 0.0
        for width in WIDTHS:
            free.execute(f"set hnsw.ef_search = {width}")
            free.execute("set enable_seqscan = off")
            found = _recall(lambda query: _scores(free, scan, {"query": query}), queries)
            if found >= GOOD:
                chosen = width
                break
        if not chosen:
            # No width is enough, so the bare plan scans all vectors.
            found = 1.0
            free.execute("set enable_seqscan = on")
            free.execute("set enable_indexscan = off")
        ours = _Timed(reader, SEARCH, arguments)
        theirs = _Timed(free, scan, {})
        recall = _recall(ours.ask, queries)
        ours.forget()
        for place, (query, _) in enumerate(queries):
            for one in (ours, theirs) if place % 2 else (theirs, ours):
                one.ask(query)
    return [
        " ".join(modes),
        "-" if shard is None else str(shard["ef_search"]),
        f"{recall:.3f}",
        f"{number(p50(ours.times))}/{number(p95(ours.times))}",
        number(p50(ours.cpu)),
        str(chosen or "scan"),
        f"{found:.3f}",
        f"{number(p50(theirs.times))}/{number(p95(theirs.times))}",
        number(p50(theirs.cpu)),
        f"{p50(ours.cpu) / p50(theirs.cpu):.2f}",
    ]


class _Timed:
    """Run one way to search, and record the client's time and the server's CPU for each question, in milliseconds."""

    def __init__(self, db: Connection, statement: str, arguments: dict[str, str]) -> None:
        self._db, self._statement, self._arguments = db, statement, arguments
        self._statistics = Path(f"/proc/{db.info.backend_pid}/schedstat")
        self.forget()

    def forget(self) -> None:
        self.times: list[float] = []
        self.cpu: list[float] = []

    def ask(self, query: str) -> list[float]:
        before, started = self._used(), time.perf_counter()
        scores = _scores(self._db, self._statement, {**self._arguments, "query": query})
        self.times.append((time.perf_counter() - started) * 1000)
        self.cpu.append(self._used() - before)
        return scores

    def _used(self) -> float:
        return int(self._statistics.read_text().split()[0]) / 1e6


def _scores(db: Connection, statement: str, arguments: dict[str, str]) -> list[float]:
    return [row[0] for row in db.execute(statement, arguments, prepare=True)]


def _tenth(similarities: Vectors) -> float:
    return float(np.partition(similarities, -10)[-10])


def _recall(ask: Callable[[str], list[float]], queries: Iterable[tuple[str, float]]) -> float:
    """Return the index recall; ties count as found."""
    return float(np.mean([sum(score >= tenth - 1e-6 for score in ask(query)) / 10 for query, tenth in queries]))


def _bare_table(bench: Bench, kind: Kind) -> str:
    bench.admin.execute("drop table if exists bare")
    bench.admin.execute(f"create table bare (chunk_id bigint, embedding vector({DIMENSIONS}))")
    bench.admin.execute("alter table bare alter embedding set storage external")
    with bench.admin.cursor().copy("copy bare from stdin (format binary)") as copy:
        for block in copy_rows(list(range(kind.size)), kind.vectors):
            copy.write(block)
    bench.admin.execute(
        "create index on bare using hnsw (embedding vector_cosine_ops) with (m = 16, ef_construction = 100)"
    )
    bench.admin.execute("vacuum analyze bare")
    return "bare"


def _unit(vectors: npt.NDArray[Any]) -> Vectors:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


def _clustered(size: int, query_count: int) -> Kind:
    corpus = Corpus(size)
    return Kind(corpus.vectors, corpus.queries(query_count))


def _uniform(size: int, query_count: int) -> Kind:
    rng = np.random.default_rng([5, size])
    return Kind(_unit(rng.normal(size=(size, DIMENSIONS))), _unit(rng.normal(size=(query_count, DIMENSIONS))))


def _real(size: int, query_count: int) -> Kind:
    """Return the local model's cached vectors, at most `size`."""
    sets = [read_set(DATA / name, "test") for name in REAL_SETS]
    documents = np.concatenate([judged.vectors for judged in sets])
    questions = np.array([json.loads(query.embedding) for judged in sets for query in judged.queries], np.float32)
    rng = np.random.default_rng(6)
    return Kind(rng.permutation(documents)[:size], rng.permutation(questions)[:query_count])


def _equal(size: int, query_count: int) -> Kind:
    """Return vectors of which a third repeat a few vectors, like short answers in a meeting, as do some questions."""
    corpus = Corpus(size)
    rng = np.random.default_rng([7, size])
    weights = 1 / np.arange(1, 201)
    copied = rng.random(size) < 1 / 3
    vectors = corpus.vectors.copy()
    vectors[copied] = corpus.vectors[rng.choice(200, copied.sum(), p=weights / weights.sum())]
    asked = corpus.queries(query_count)
    beside = corpus.vectors[rng.choice(200, len(asked[::3]))]
    asked[::3] = _unit(beside + 0.02 * rng.normal(size=beside.shape))
    return Kind(vectors, asked)


def _drifting(size: int, query_count: int) -> Kind:
    """Return vectors whose last ones have other topics than the vectors in the index."""
    early, late = Corpus(round(size * (1 - LATE))), Corpus(size - round(size * (1 - LATE)), seed=1)
    turn = np.linalg.qr(np.random.default_rng(8).normal(size=(DIMENSIONS, DIMENSIONS)))[0].astype(np.float32)
    asked = np.concatenate([early.queries(query_count)[::2], late.queries(query_count)[::2] @ turn])
    return Kind(np.concatenate([early.vectors, late.vectors @ turn]), asked)


KINDS = {"clustered": _clustered, "uniform": _uniform, "real": _real, "equal": _equal, "drifting": _drifting}
