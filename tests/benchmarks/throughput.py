"""Measure hybrid searches by several clients at once, and while documents come in: `python -m benchmarks.throughput` in
tests/.

A client is a process. Its own CPU time is reported, because it shares the machine with the server.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import shutil
import statistics
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
from psycopg.conninfo import make_conninfo
from psycopg.types.json import Jsonb

from benchmarks.full_text.corpus import Synthetic
from benchmarks.pages import MEASUREMENTS, markdown_table, measured_on, write_section
from benchmarks.semantic.corpus import Corpus, text
from pgbraid import embedded
from pgbraid.install import install
from support import temporary_folder

Connection = psycopg.Connection[Any]
TENANT, COLLECTION, READER, WRITER = "bench", "corpus", "bench_reader", "bench_writer"
SEARCH = "select * from braid.hybrid_search(%s, %s, match_count => 10, collection => 'corpus')"
WRITE = "select count(*) from braid.upsert_documents(%s, 'corpus')"
QUERIES = 200
WRITES_A_SECOND, DOCUMENTS_A_WRITE = 10, 10
HEAD = [
    "clients", "searches a second", "times one", "p50 / p95, ms", "CPU a search, ms: server, client",
    "MB a backend (its own)", "waits for",
]  # fmt: skip
WIDTHS = [9, 17, 9, 15, 32, 22, 12]
TICKS = os.sysconf("SC_CLK_TCK")
CONTEXT = multiprocessing.get_context("fork")


@dataclass
class Client:
    """Hold a client's figures. Times are in seconds. `pss` is its backend's memory in bytes, with its share of
    shared memory, or None if the operating system does not report it."""

    seconds: list[float] = field(default_factory=list)
    server_cpu: float = 0
    client_cpu: float = 0
    pss: int | None = None
    private: int | None = None


def say(cells: list[str]) -> None:
    print("   ".join(cell.rjust(width) for cell, width in zip(cells, WIDTHS, strict=True)), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--postgres-version", type=int, default=embedded.DEFAULT_VERSION)
    parser.add_argument("--size", type=int, default=200_000, help="documents of 150 words with 384 dimensions")
    parser.add_argument("--data-dir", type=Path, help="where the loaded database is kept, or is already")
    parser.add_argument("--seconds", type=float, default=10, help="for each number of clients")
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 2, 4, 8, 16])
    parser.add_argument("--write", action="store_true", help="write docs/lab/measurements.md")
    arguments = parser.parse_args()
    data_dir = arguments.data_dir or temporary_folder()
    try:
        server = embedded.ensure_running(data_dir, arguments.postgres_version)
        dsn = server.dsn_for("bench")
        load(server, arguments.size)
        queries = make_queries(arguments.size)
        with psycopg.connect(dsn, autocommit=True) as admin:
            version, shared_buffers = (value(admin, f"show {name}") for name in ("server_version", "shared_buffers"))
            about = (
                f"{arguments.size:,} documents, 10 rows a search, {arguments.seconds:g} seconds each, "
                f"`shared_buffers` {shared_buffers}, PostgreSQL {version}"
            )
            print(f"{about}, {os.cpu_count()} cores\n")
            say(HEAD)
            rows: list[list[str]] = []
            base = None
            for count in arguments.clients:
                rate, cells = measured(admin, dsn, queries, count, arguments.seconds, base)
                base = base or rate
                rows.append([str(count), *cells])
                say(rows[-1])
            came = []
            for count in (1, 4):
                with writing(dsn, arguments.size) as written:
                    started = time.monotonic()
                    _, cells = measured(admin, dsn, queries, count, arguments.seconds, base)
                    came.append(f"{written.value / (time.monotonic() - started):.0f}")
                rows.append([f"{count} + writer", *cells])
                say(rows[-1])
            beside = f"While {' and '.join(came)} documents a second came in beside 1 and 4 clients."
            print(f"\n{beside}")
            if arguments.write:
                text = f"{measured_on()}. {about}. {beside}\n\n{markdown_table(HEAD, rows)}"
                write_section(MEASUREMENTS, "throughput", text)
    finally:
        embedded.stop(data_dir)
        if not arguments.data_dir:
            shutil.rmtree(data_dir)


def value(db: Connection, statement: str) -> Any:
    row = db.execute(statement).fetchone()
    assert row is not None
    return row[0]


def make_queries(size: int) -> list[tuple[str, str]]:
    words = [query.text for length in (2, 4, 8) for query in Synthetic(size).queries(length, QUERIES // 3 + 1)]
    random.Random(1).shuffle(words)
    return list(zip(words, map(text, Corpus(size).queries(len(words))), strict=True))


def measured(
    admin: Connection, dsn: str, queries: list[tuple[str, str]], count: int, seconds: float, base: float | None
) -> tuple[float, list[str]]:
    """Return searches per second, and the cells after the first."""
    clients, waits = measure(admin, dsn, queries, count, seconds)
    taken = sorted(taken for client in clients for taken in client.seconds)
    rate = len(taken) / seconds
    cuts = statistics.quantiles(taken, n=20)
    server = sum(client.server_cpu for client in clients) / len(taken)
    client = sum(client.client_cpu for client in clients) / len(taken)
    told = [(c.pss, c.private) for c in clients if c.pss is not None and c.private is not None]
    memory = f"{max(p for p, _ in told) / 2**20:.0f} ({max(q for _, q in told) / 2**20:.0f})" if told else "not told"
    common = ", ".join(f"{wait} {share:.0%}" for wait, share in waits if share >= 0.02) or "none"
    return rate, [
        f"{rate:.1f}", f"{rate / (base or rate):.2f}", f"{cuts[9] * 1000:.1f} / {cuts[18] * 1000:.1f}",
        f"{server * 1000:.1f}, {client * 1000:.1f}", memory, common,
    ]  # fmt: skip


def measure(
    admin: Connection, dsn: str, queries: list[tuple[str, str]], count: int, seconds: float
) -> tuple[list[Client], list[tuple[str, float]]]:
    """Return the figures of `count` clients, and the share of a search's time that each kind of wait took."""
    ready = CONTEXT.Barrier(count + 1)
    answers: Any = CONTEXT.Queue()
    processes = [
        CONTEXT.Process(target=search, args=(dsn, queries[number:] + queries[:number], seconds, ready, answers))
        for number in range(count)
    ]
    for process in processes:
        process.start()
    ready.wait()
    waits: Counter[str] = Counter()
    stop = time.monotonic() + seconds
    while time.monotonic() < stop:
        rows = admin.execute(
            "select coalesce(wait_event_type || ' ' || wait_event, '') from pg_stat_activity "
            "where usename = %s and state = 'active'",
            (READER,),
        ).fetchall()
        waits.update(row[0] for row in rows)
        time.sleep(0.05)
    clients = [answers.get() for _ in processes]
    for process in processes:
        process.join()
    total = max(waits.total(), 1)
    return clients, [(wait, found / total) for wait, found in waits.most_common() if wait]


def search(dsn: str, queries: list[tuple[str, str]], seconds: float, ready: Any, answers: Any) -> None:
    measured = Client()
    with connect(dsn, READER) as db:
        for query in queries[:20]:
            db.execute(SEARCH, query).fetchall()
        ready.wait()
        stop = time.perf_counter() + seconds
        server, client = cpu_seconds(db.info.backend_pid), time.process_time()
        turn = 0
        while (started := time.perf_counter()) < stop:
            db.execute(SEARCH, queries[turn % len(queries)]).fetchall()
            measured.seconds.append(time.perf_counter() - started)
            turn += 1
        measured.server_cpu = cpu_seconds(db.info.backend_pid) - server
        measured.client_cpu = time.process_time() - client
        measured.pss, measured.private = memory_of(db.info.backend_pid)
        answers.put(measured)


@contextmanager
def connect(dsn: str, login: str) -> Iterator[Connection]:
    with psycopg.connect(make_conninfo(dsn, user=login), autocommit=True) as db:
        db.execute("select set_config('braid.tenant', %s, false)", (TENANT,))
        db.prepare_threshold = 0
        yield db


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def memory_of(pid: int) -> tuple[int | None, int | None]:
    """Return PSS and anonymous memory, in bytes, or None."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    except PermissionError:
        return None, None
    sizes = {name: int(size.split()[0]) * 1024 for name, size in (line.split(":") for line in lines)}
    return sizes["Pss"], sizes["Anonymous"]


@contextmanager
def writing(dsn: str, size: int) -> Iterator[Any]:
    """Write a hundred documents per second in calls of ten, or as many as the server takes; yield their number."""
    written, stop = CONTEXT.Value("i", 0), CONTEXT.Event()
    process = CONTEXT.Process(target=write, args=(dsn, size, written, stop))
    process.start()
    try:
        while not written.value:
            time.sleep(0.05)
        written.value = 0
        yield written
    finally:
        stop.set()
        process.join()


def write(dsn: str, size: int, written: Any, stop: Any) -> None:
    documents = Synthetic(size).documents(0, size)
    vectors = Corpus(1000, seed=2).vectors
    with connect(dsn, WRITER) as db:
        due = time.monotonic()
        while not stop.is_set():
            batch: list[dict[str, Any]] = []
            for document in (next(documents) for _ in range(DOCUMENTS_A_WRITE)):
                number = written.value + len(batch)
                chunk = {**document["chunks"][0], "embedding": text(vectors[number % len(vectors)])}
                batch.append({**document, "external_id": f"new {time.time_ns()} {len(batch)}", "chunks": [chunk]})
            db.execute(WRITE, (Jsonb(batch),)).fetchone()
            written.value += len(batch)
            due += 1 / WRITES_A_SECOND
            stop.wait(max(0.0, due - time.monotonic()))


def load(server: embedded.Server, size: int) -> None:
    """Load the database `bench` unless it exists."""
    with psycopg.connect(server.dsn_for("postgres"), autocommit=True) as db:
        if db.execute("select from pg_database where datname = 'bench'").fetchone() is not None:
            return
        db.execute("create database bench")
    install(server.dsn_for("bench"))
    texts, vectors = Synthetic(size), Corpus(size).vectors
    with psycopg.connect(server.dsn_for("bench"), autocommit=True) as db:
        db.execute("select braid.create_tenant(%s)", (TENANT,))
        for login, role in ((READER, "braid_reader"), (WRITER, "braid_writer")):
            db.execute(f"create role {login} login")
            db.execute(f"grant {role} to {login}")
            db.execute("select braid.add_tenant_member(%s, %s)", (TENANT, login))
        db.execute("select set_config('braid.tenant', %s, false)", (TENANT,))
        db.execute("select braid.create_collection(%s, text_config => 'simple', dimensions => 384)", (COLLECTION,))
        for first in range(0, size, 1000):
            batch = [
                {**document, "chunks": [{**document["chunks"][0], "embedding": text(vector)}]}
                for document, vector in zip(
                    texts.documents(first, min(first + 1000, size)), vectors[first : first + 1000], strict=True
                )
            ]
            db.execute(WRITE, (Jsonb(batch),)).fetchone()
        while not value(db, "select braid.maintain('1 hour')")["complete"]:
            time.sleep(0.1)
        db.execute("vacuum analyze")
        db.execute("checkpoint")


if __name__ == "__main__":
    main()
