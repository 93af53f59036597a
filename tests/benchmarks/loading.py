"""Measure documents with vectors, written by one client and by two at once, and the space that a week of changes takes:
`python -m benchmarks.loading` in tests/.

A client is a process. Its own CPU time is reported, because it shares the machine with the server.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import shutil
import time
from typing import Any

import psycopg

import pgbraid
from benchmarks.full_text.corpus import Synthetic
from benchmarks.pages import MEASUREMENTS, markdown_table, measured_on, write_section
from benchmarks.semantic.corpus import Corpus
from benchmarks.throughput import cpu_seconds
from pgbraid import embedded
from pgbraid.install import install
from pgbraid_tools.cli.reclaim import reclaim_space
from support import temporary_folder

Connection = psycopg.Connection[Any]
COLLECTION = "corpus"
DIMENSIONS = 384
# Documents are made in batches outside the timed part.
BATCH = 10_000
WEEK_SIZE, WEEK_WORDS, WEEK_DIMENSIONS = 20_000, 80, 64
CHANGED, CHANGED_A_CALL, TIMES_A_DAY = 400, 20, 4
CONTEXT = multiprocessing.get_context("fork")
LOADING = ["clients", "documents a second", "times one", "CPU a document, ms: server, client"]
WEEK = ["day", "before `pgbraid maintain`", "after"]
SIZE = """
select sum(pg_total_relation_size(c.oid))::bigint
from pg_class c where c.relnamespace = 'braid_store'::regnamespace and c.relkind = 'r'
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--postgres-version", type=int, default=embedded.DEFAULT_VERSION)
    parser.add_argument("--size", type=int, default=100_000, help="documents of 150 words with 384 dimensions")
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--sections", nargs="+", choices=["loading", "week"], default=["loading", "week"])
    parser.add_argument("--write", action="store_true", help="write docs/lab/measurements.md")
    arguments = parser.parse_args()
    data_dir = temporary_folder()
    try:
        server = embedded.ensure_running(data_dir, arguments.postgres_version)
        texts = {
            "loading": lambda: loading(server, arguments.size, arguments.clients),
            "week": lambda: week(new_database(server, "week", WEEK_DIMENSIONS)),
        }
        for section in arguments.sections:
            text = texts[section]()
            print(text, flush=True)
            if arguments.write:
                write_section(
                    MEASUREMENTS, section, f"{measured_on()}, PostgreSQL {arguments.postgres_version}. {text}"
                )
    finally:
        embedded.stop(data_dir)
        shutil.rmtree(data_dir)


def new_database(server: embedded.Server, name: str, dimensions: int) -> str:
    with psycopg.connect(server.dsn_for("postgres"), autocommit=True) as db:
        db.execute(f"create database {name}")
    dsn = server.dsn_for(name)
    install(dsn)
    with pgbraid.connect(dsn, embedder=None) as client:
        client.create_collection(COLLECTION, text_config="simple", dimensions=dimensions, embedding_model="any")
    return dsn


def loading(server: embedded.Server, size: int, counts: list[int]) -> str:
    rows: list[list[str]] = []
    base = None
    for count in counts:
        dsn = new_database(server, f"clients_{count}", DIMENSIONS)
        rate, server_ms, client_ms = load(dsn, size, count)
        base = base or rate
        rows.append([str(count), f"{rate:,.0f}", f"{rate / base:.2f}", f"{server_ms:.2f}, {client_ms:.2f}"])
        with psycopg.connect(server.dsn_for("postgres"), autocommit=True) as db:
            db.execute(f"drop database clients_{count}")
    return f"{size:,} documents of 150 words with {DIMENSIONS} dimensions.\n\n{markdown_table(LOADING, rows)}"


def load(dsn: str, size: int, count: int) -> tuple[float, float, float]:
    """Return documents per second, and the CPU milliseconds per document of the server and of its client."""
    ready = CONTEXT.Barrier(count)
    answers: Any = CONTEXT.Queue()
    part = size // count
    processes = [
        CONTEXT.Process(target=write, args=(dsn, size, range(n * part, (n + 1) * part), ready, answers))
        for n in range(count)
    ]
    for process in processes:
        process.start()
    told = [answers.get() for _ in processes]
    for process in processes:
        process.join()
    documents, seconds, server, client = (sum(part) for part in zip(*told, strict=True))
    return documents / (seconds / count), server * 1000 / documents, client * 1000 / documents


def write(dsn: str, size: int, numbers: range, ready: Any, answers: Any) -> None:
    texts, vectors = Synthetic(size), Corpus(size).vectors
    seconds = client_cpu = 0.0
    with pgbraid.connect(dsn, embedder=None) as client:
        pid = client.connection.info.backend_pid
        begun = cpu_seconds(pid)
        for first in range(numbers.start, numbers.stop, BATCH):
            batch = documents(texts, vectors, range(first, min(first + BATCH, numbers.stop)))
            # The barrier makes all clients write at the same time.
            ready.wait()
            started, cpu = time.perf_counter(), time.process_time()
            client.add_documents(batch, collection=COLLECTION)
            seconds += time.perf_counter() - started
            client_cpu += time.process_time() - cpu
        answers.put((len(numbers), seconds, cpu_seconds(pid) - begun, client_cpu))


def documents(texts: Synthetic, vectors: Any, numbers: range, words: int | None = None) -> list[dict[str, Any]]:
    return [
        {
            "external_id": f"d{number}",
            "content": " ".join(document["chunks"][0]["content"].split()[:words]),
            "embedding": vectors[number],
        }
        for number, document in zip(numbers, texts.documents(numbers.start, numbers.stop), strict=True)
    ]


def week(dsn: str) -> str:
    texts, corpus = Synthetic(2 * WEEK_SIZE), Corpus(2 * WEEK_SIZE, dimensions=WEEK_DIMENSIONS)
    draw = random.Random(1)
    rows: list[list[str]] = []
    with pgbraid.connect(dsn, embedder=None) as client, psycopg.connect(dsn, autocommit=True) as db:
        for first in range(0, WEEK_SIZE, 2000):
            client.add_documents(
                documents(texts, corpus.vectors, range(first, first + 2000), WEEK_WORDS), collection=COLLECTION
            )
        upkeep(db)
        live = size_of(db)
        for day in range(1, 8):
            for _ in range(TIMES_A_DAY):
                for _ in range(CHANGED // CHANGED_A_CALL):
                    first = draw.randrange(WEEK_SIZE, 2 * WEEK_SIZE - CHANGED_A_CALL)
                    changed = documents(texts, corpus.vectors, range(first, first + CHANGED_A_CALL), WEEK_WORDS)
                    for document, number in zip(changed, draw.sample(range(WEEK_SIZE), len(changed)), strict=True):
                        document["external_id"] = f"d{number}"
                    client.add_documents(changed, collection=COLLECTION)
                while not client.maintain(3600)["complete"]:
                    pass
            before = size_of(db)
            upkeep(db)
            rows.append([str(day), f"{before / live:.2f}", f"{size_of(db) / live:.2f}"])
    return (
        f"{WEEK_SIZE:,} documents of {WEEK_WORDS} words with {WEEK_DIMENSIONS} dimensions; "
        f"{TIMES_A_DAY * CHANGED:,} a day are replaced in calls of {CHANGED_A_CALL}. `maintain()` runs {TIMES_A_DAY} "
        "times a day, `pgbraid maintain` once. Bytes on disk, as a multiple of what they were after loading "
        f"({live / 1e6:.0f} MB).\n\n{markdown_table(WEEK, rows)}"
    )


def upkeep(db: Connection) -> None:
    """Run the same maintenance as `pgbraid maintain`."""
    while not db.execute("select braid.maintain('1 hour') -> 'complete'").fetchall()[0][0]:
        pass
    reclaim_space(db, time.monotonic() + 3600, [])


def size_of(db: Connection) -> int:
    row = db.execute(SIZE).fetchone()
    assert row is not None
    return int(row[0])


if __name__ == "__main__":
    main()
