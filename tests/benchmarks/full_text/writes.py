"""Measure the time and space of writes, the cost of merges, and concurrent use."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable

import psycopg

from benchmarks.full_text.baselines import build_baselines
from benchmarks.full_text.corpus import Document
from benchmarks.full_text.database import INDEX_TABLES, READER, WRITER, Bench, ingest, merged_size, segments
from benchmarks.full_text.report import number, pair, say, table

INGESTED, BUSY = "ingested", "busy"
BATCHES = ((1000, 10), (100, 50), (1, 500))
WRITERS, READERS = 8, 4


def print_load(bench: Bench) -> None:
    load, merges, deletes = (bench.noted(key) or {} for key in ("load", "merges", "deletes"))
    shape = ", ".join(f"{chunks:,}" for chunks, _ in segments(bench.admin))
    each = merges["seconds"] / max(1, merges["postings"]) * 1e6
    print(
        f"\n{bench.corpus.name}: {load['chunks']:,} chunks loaded at {load['chunks'] / load['seconds']:,.0f}/s, "
        f"merges in between not counted\n"
        f"segments of {shape} chunks\n"
        f"maintain(): {merges['seconds']:,.1f} s, {merges['postings']:,} postings written, {each:.2f} µs each\n"
        f"deletes: {deletes['documents']:,} at {deletes['documents'] / deletes['seconds']:,.0f}/s\n",
        flush=True,
    )


def ingest_rates(bench: Bench) -> None:
    """Measure ingestion into a collection that grows from nothing, including the merges of writes."""
    bench.create_collection(INGESTED, bench.corpus.text_config)
    rows = []
    with bench.connect(WRITER) as db:
        db.execute("select braid.clear_collection(%s)", (INGESTED,))
        first = 0
        for size, count in BATCHES:
            milliseconds = []
            for _ in range(count):
                start = first % (bench.corpus.size - size)
                documents = [
                    {**document, "external_id": f"{first + place}"}
                    for place, document in enumerate(bench.corpus.documents(start, start + size))
                ]
                first += size
                started = time.perf_counter()
                ingest(db, documents, INGESTED)
                milliseconds.append((time.perf_counter() - started) * 1000)
            rate = f"{size * count / sum(milliseconds) * 1000:,.0f}"
            rows.append((f"batches of {size:,}", [str(count), rate, pair(milliseconds)]))
    table("ingest, not embedded", ["batches", "chunks/s", "ms, p50/p95"], rows)


def sizes(bench: Bench) -> None:
    build_baselines(bench)
    noted, baseline = bench.noted("sizes") or {}, bench.noted("ts_rank") or {}
    merged = merged_size(bench)
    rows = []
    for name, label in (
        ("first", "fresh segments, the first 18 %"),
        ("first merged", "the same after maintain()"),
        ("all", "all at the end"),
    ):
        for prefix, what in (("", "on disk"), ("live_", "live rows")):
            rows.append((f"{label}, {what}", _size_cells(noted[name], prefix)))
    rows.append(("all after maintain(), written anew", _size_cells(merged)))
    table("MB after a vacuum", ["postings", "postings MB", "forward rows MB", "B/posting", "both, B/posting"], rows)
    ours = merged["postings_bytes"] + merged["forward_rows_bytes"]
    on_disk = noted["all"]["postings_bytes"] + noted["all"]["forward_rows_bytes"]
    print(
        f"GIN + tsvector of the live text: {_megabytes(baseline['bytes'])} MB, "
        f"GIN alone {_megabytes(baseline['gin_bytes'])}; "
        f"ours after maintain() is {ours / baseline['bytes']:.2f} of it, "
        f"{on_disk / baseline['bytes']:.2f} on disk with what earlier merges left free\n",
        flush=True,
    )


def _size_cells(size: dict[str, int], prefix: str = "") -> list[str]:
    postings, forward = (size[f"{prefix}{name}_bytes"] for name in INDEX_TABLES)
    return [
        f"{size['postings']:,}",
        _megabytes(postings),
        _megabytes(forward),
        f"{postings / size['postings']:.1f}",
        f"{(postings + forward) / size['postings']:.1f}",
    ]


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f}"


class _Traffic:
    """Run operations of all kinds until the deadline, and record times and errors."""

    def __init__(self, bench: Bench, minutes: float) -> None:
        self._bench = bench
        self._documents = list(bench.corpus.documents(0, min(2000, bench.corpus.size)))
        self._queries = [query for length in (1, 2, 4, 8) for query in bench.corpus.queries(length, 50)]
        self._deadline = time.monotonic() + minutes * 60
        self._lock = threading.Lock()
        self.milliseconds: dict[str, list[float]] = {}
        self.errors: Counter[str] = Counter()

    def run(self) -> None:
        threads = [threading.Thread(target=self._write, args=(seed,)) for seed in range(WRITERS)]
        threads += [threading.Thread(target=self._read, args=(seed,)) for seed in range(READERS)]
        threads += [threading.Thread(target=self._maintain)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _write(self, seed: int) -> None:
        rng = random.Random(f"writer {seed}")
        with self._bench.connect(WRITER) as db:
            while time.monotonic() < self._deadline:
                if rng.random() < 0.8:
                    size = rng.choice([1, 1, 1, 10, 100])
                    self._do(f"upsert of {size}", ingest, db, self._mixed(rng, size), BUSY)
                else:
                    external_id = rng.choice(self._documents)["external_id"]
                    self._do("delete", db.execute, "select braid.delete_document(%s, %s)", (external_id, BUSY))

    def _mixed(self, rng: random.Random, size: int) -> list[Document]:
        """Return documents with any id and any text: inserts and replacements."""
        return [
            {**document, "external_id": rng.choice(self._documents)["external_id"]}
            for document in rng.choices(self._documents, k=size)
        ]

    def _read(self, seed: int) -> None:
        rng = random.Random(f"reader {seed}")
        search = "select score from braid.full_text_search(%s, 50, collection => %s)"
        with self._bench.connect(READER) as db:
            while time.monotonic() < self._deadline:
                self._do("search", db.execute, search, (rng.choice(self._queries).text, BUSY))

    def _maintain(self) -> None:
        with psycopg.connect(self._bench.dsn, autocommit=True) as db:
            while time.monotonic() < self._deadline:
                self._do("maintain", db.execute, "select braid.maintain('2 seconds')")
                time.sleep(0.5)

    def _do(self, name: str, call: Callable[..., object], *arguments: object) -> None:
        started = time.perf_counter()
        try:
            call(*arguments)
        except psycopg.Error as error:
            with self._lock:
                self.errors[f"{name}: {error.sqlstate} {str(error).splitlines()[0][:80]}"] += 1
        with self._lock:
            self.milliseconds.setdefault(name, []).append((time.perf_counter() - started) * 1000)


def concurrency(bench: Bench, minutes: float) -> None:
    bench.create_collection(BUSY, bench.corpus.text_config)
    say(f"{WRITERS} writers and {READERS} readers for {minutes:g} minutes")
    traffic = _Traffic(bench, minutes)
    traffic.run()
    rows = [
        (name, [f"{len(times):,}", number(len(times) / minutes / 60), pair(times)])
        for name, times in sorted(traffic.milliseconds.items())
    ]
    table("at once", ["calls", "a second", "ms, p50/p95"], rows)
    print("errors:", dict(traffic.errors) or "none")
    if bench.admin.execute("select to_regprocedure('braid.check_index(text)')").fetchone() == (None,):
        print("the index is not checked: there is no braid.check_index\n", flush=True)
        return
    with bench.connect("postgres") as db:
        differences = db.execute("select * from braid.check_index(%s)", (BUSY,)).fetchall()
    print(f"braid.check_index names {len(differences)} differences", *differences[:5], "\n", flush=True)
