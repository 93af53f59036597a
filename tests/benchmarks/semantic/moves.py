"""Measure searches and writes while vectors move, the cost of policies for a search, and the size from which an
index pays."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import count
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from benchmarks.full_text.report import number, p50, pair, say, table
from benchmarks.semantic.corpus import Corpus, text
from benchmarks.semantic.database import COLLECTION, READER, WRITER, Bench, chunk_ids, load, maintain
from benchmarks.semantic.grid import SEARCH

Connection = psycopg.Connection[Any]
WRITERS, READERS = 2, 2


class _Traffic:
    """Run searches and writes of a tenant until told to stop."""

    def __init__(self, bench: Bench, tenant: str, corpus: Corpus, collection: str = COLLECTION) -> None:
        self._bench, self._tenant, self._corpus, self._collection = bench, tenant, corpus, collection
        self._asking = [threading.Lock() for _ in range(READERS)]
        self._queries = [text(query) for query in corpus.queries(50)]
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._read, args=(seed,)) for seed in range(READERS)]
        self._threads += [threading.Thread(target=self._write, args=(seed,)) for seed in range(WRITERS)]
        self.phase = "before"
        self.times: dict[tuple[str, str], list[float]] = {}
        self.errors: Counter[str] = Counter()
        self.short = 0

    def __enter__(self) -> _Traffic:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    @contextmanager
    def paused_queries(self) -> Iterator[None]:
        """Pause searches while their dimensions change."""
        with ExitStack() as stack:
            for lock in self._asking:
                stack.enter_context(lock)
            yield

    def use(self, queries: list[str]) -> None:
        self._queries = queries

    def _read(self, seed: int) -> None:
        rng = random.Random(f"reader {seed}")
        with self._bench.connect(READER, self._tenant) as db:
            while not self._stop.is_set():
                with self._asking[seed]:
                    rows = self._search(db, rng.choice(self._queries))
                self.short += rows is not None and rows < 10

    def _search(self, db: Connection, query: str) -> int | None:
        arguments = {"query": query, "filters": None, "collection": self._collection, "options": None}
        return self._do("search", lambda: len(db.execute(SEARCH, arguments, prepare=True).fetchall()))

    def _write(self, seed: int) -> None:
        rng = random.Random(f"writer {seed}")
        with self._bench.connect(WRITER, self._tenant) as db:
            while not self._stop.is_set():
                number = rng.randrange(self._corpus.size)
                written = {
                    "external_id": f"d{number}",
                    "content": f"again {rng.random()}",
                    "embedding": self._corpus.vectors[number].tolist(),
                }
                if rng.random() < 0.1:
                    self._do("delete", partial(self._delete, db, number))
                else:
                    self._do("write", partial(self._upsert, db, written))
                time.sleep(0.05)

    def _upsert(self, db: Connection, document: dict[str, Any]) -> None:
        db.execute("select count(*) from braid.upsert_documents(%s, %s)", (Jsonb([document]), self._collection))

    def _delete(self, db: Connection, number: int) -> None:
        db.execute("select braid.delete_document(%s, %s)", (f"d{number}", self._collection))

    def _do(self, name: str, call: Callable[[], object]) -> int | None:
        started = time.perf_counter()
        try:
            found = call()
        except psycopg.Error as error:
            self.errors[f"{name}: {error.sqlstate} {str(error).splitlines()[0][:80]}"] += 1
            return None
        self.times.setdefault((self.phase, name), []).append((time.perf_counter() - started) * 1000)
        return found if isinstance(found, int) else None


def promotion(bench: Bench, size: int) -> None:
    tenant, corpus = f"promoted {time.time():.0f}", Corpus(size, seed=3)
    load(bench, tenant, corpus)
    with _Traffic(bench, tenant, corpus) as traffic:
        time.sleep(10)
        traffic.phase = "during"
        started = time.perf_counter()
        while not bench.shard(tenant):
            bench.admin.execute("select braid.maintain('10 seconds')")
        served = time.perf_counter() - started
        maintain(bench)
        finished = time.perf_counter() - started
        traffic.phase = "after"
        time.sleep(10)
    print(
        f"{size:,} vectors promoted while {READERS} read and {WRITERS} write: served after {served:.0f} s, all done "
        f"after {finished:.0f} s"
    )
    _print(traffic)


def _print(traffic: _Traffic) -> None:
    rows = [
        (f"{name}, {phase}", [str(len(times)), pair(times), number(max(times))])
        for name in ("search", "write", "delete")
        for phase in ("before", "during", "after")
        if (times := traffic.times.get((phase, name)))
    ]
    table("at once", ["calls", "ms, p50/p95", "longest"], rows)
    print(f"errors: {dict(traffic.errors) or 'none'}; searches short of rows: {traffic.short}\n", flush=True)


def model_change(bench: Bench, size: int) -> None:
    """Change to a model of 256 dimensions with a worker that embeds at no cost; queries change at the cut-over."""
    collection, tenant, corpus = f"changed {time.time():.0f}", f"changing {time.time():.0f}", Corpus(size, seed=4)
    bench.admin.execute(
        "select braid.create_collection(%s, text_config => 'simple', dimensions => 384, embedding_model => 'old')",
        (collection,),
    )
    load(bench, tenant, corpus, collection)
    maintain(bench)
    new = Corpus(size, seed=4, dimensions=256)
    numbers = {chunk: number for number, chunk in chunk_ids(bench, tenant).items()}
    with _Traffic(bench, tenant, corpus, collection) as traffic:
        time.sleep(5)
        traffic.phase = "during"
        started = time.perf_counter()
        bench.admin.execute("select braid.start_model_change(%s, 'new', 256)", (collection,))
        for turn in count():
            if turn % 20 == 0:
                bench.admin.execute("select braid.maintain('1 second')")
            jobs = bench.admin.execute(
                "select chunk_id from braid.claim_embedding_jobs(500, collection => %s, embedding_model => 'new')",
                (collection,),
            ).fetchall()
            vectors = [text(new.vectors[numbers.get(chunk, 0)]) for (chunk,) in jobs]
            bench.admin.execute(
                "select braid.store_embeddings(%s, %s::vector[], %s, embedding_model => 'new')",
                ([chunk for (chunk,) in jobs], vectors, collection),
            )
            if len(jobs) < 500:
                try:
                    with traffic.paused_queries():
                        bench.admin.execute("select braid.cut_over_model_change(%s)", (collection,))
                        traffic.use([text(query) for query in new.queries(50)])
                    break
                except psycopg.errors.InvalidParameterValue:
                    pass  # a writer was quicker
        finished = time.perf_counter() - started
        traffic.phase = "after"
        time.sleep(5)
    print(f"{size:,} chunks embedded by another model while {READERS} read and {WRITERS} write: {finished:.0f} s")
    _print(traffic)


def policies(bench: Bench, corpora: dict[str, Corpus], query_count: int) -> None:
    """Run the same search by a login that policies bind and by a superuser."""
    rows = []
    for tenant, corpus in corpora.items():
        with bench.connect(READER, tenant) as bound, bench.connect("postgres", tenant) as free:
            times: dict[str, list[float]] = {"bound": [], "free": []}
            both = [("bound", bound), ("free", free)]
            for query in corpus.queries(query_count):
                arguments = {"query": text(query), "filters": None, "collection": COLLECTION, "options": None}
                # A first run reads all pages that the search needs.
                bound.execute(SEARCH, arguments, prepare=True).fetchall()
                for name, db in both:
                    started = time.perf_counter()
                    db.execute(SEARCH, arguments, prepare=True).fetchall()
                    times[name].append((time.perf_counter() - started) * 1000)
                both.reverse()
        overhead = p50(times["bound"]) - p50(times["free"])
        rows.append((tenant, [pair(times["bound"]), pair(times["free"]), number(overhead)]))
    table("what policies cost", ["bound, ms", "superuser, ms", "p50 more by"], rows)


def threshold(bench: Bench) -> None:
    rows = []
    kept = bench.admin.execute("select exact_rows from braid_store.vector_settings").fetchone()
    for run in range(5):
        row = bench.admin.execute("select braid.calibrate()").fetchone()
        assert row is not None
        rows.append((f"run {run + 1}", [str(row[0][key]) for key in ("scan_ms_per_1000", "search_ms", "exact_rows")]))
    bench.admin.execute("update braid_store.vector_settings set exact_rows = %s", kept)
    table("braid.calibrate()", ["scan, ms per 1,000", "search, ms", "from so many on"], rows)


def say_shards(bench: Bench, tenants: list[str]) -> None:
    for tenant in tenants:
        shard = bench.shard(tenant)
        say(
            f"{tenant}: scanned"
            if shard is None
            else f"{tenant}: HNSW of {shard['vector_count']:,}, ef_search {shard['ef_search']} for 10 and "
            f"{shard['ef_search_100']} for 100, recall {shard['index_recall']:.4f} of sampled queries"
        )
