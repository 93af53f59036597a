"""Measure the cost of a Citus cluster: `python -m benchmarks.cluster` in tests/. PGBRAID_CITUS_DSN names the
coordinator; the benchmark makes its own databases.

It compares a tenant's searches and writes on its node with a database without Citus, and the searches of many tenants
on one worker and on two. Clocks are unreliable on a busy machine, so the figures are the servers' CPU time, and
compared calls take turns. All servers run on this machine, where /proc shows their processes.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psycopg
from install.citus.conftest import VARIABLE, databases
from psycopg.conninfo import make_conninfo

import pgbraid
from benchmarks.pooled import node_of, settle
from benchmarks.tenants.loading import (
    COLLECTION,
    CONTEXT,
    SERVICE,
    Connection,
    Source,
    Tenant,
    cpu_of_ended,
    cpu_seconds,
    define,
    load,
)
from benchmarks.tenants.measuring import as_text
from pgbraid_tools.cluster import distribute

SECTIONS = ("costs", "throughput")
# This login has one tenant, as most logins do.
MEMBER = "cluster_member"
FOUND = "select external_id, score from"
SEARCHES = {
    "hybrid": f"{FOUND} braid.hybrid_search(%(query)s, %(vector)s::vector, collection => 'corpus')",
    "full text": f"{FOUND} braid.full_text_search(%(query)s, collection => 'corpus')",
    "vectors": f"{FOUND} braid.semantic_search(%(vector)s::vector, collection => 'corpus')",
}
WRITE = "select count(*) from braid.upsert_embedded_documents(%(documents)s, %(vectors)s::vector[], 'corpus')"
DELETE = "select braid.delete_documents(%(names)s, 'corpus')"
EXACT_ROWS = 8000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sections", nargs="+", choices=SECTIONS, default=SECTIONS)
    parser.add_argument("--size", type=int, default=10_000, help="chunks of the tenant whose calls are measured")
    parser.add_argument("--small", type=int, default=500, help="chunks of each of many tenants")
    parser.add_argument("--tenants", type=int, default=40, help="how many of these")
    parser.add_argument("--words", type=int, default=150, help="of a chunk")
    parser.add_argument("--queries", type=int, default=120)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=5, help="of a turn")
    parser.add_argument("--turns", type=int, default=8)
    parser.add_argument("--pin", action="store_true", help="give each worker's sessions a core of their own")
    args = parser.parse_args()
    if VARIABLE not in os.environ:
        parser.error(f"{VARIABLE} does not name the coordinator of a Citus cluster")
    if "costs" in args.sections:
        costs(args)
    if "throughput" in args.sections:
        throughput(args)


def costs(args: argparse.Namespace) -> None:
    tenants = [Tenant(1, args.size, 0), Tenant(2, args.small, args.size)]
    source = Source(args.words)
    with databases(os.environ[VARIABLE]) as (coordinator, workers, plain):
        for dsn in (coordinator, plain):
            define(dsn, tenants, EXACT_ROWS)
            with psycopg.connect(dsn, autocommit=True) as db:
                if db.execute("select from pg_roles where rolname = %s", (MEMBER,)).fetchone() is None:
                    db.execute(f"create role {MEMBER} login".encode())
                db.execute(f"grant braid_writer to {MEMBER}".encode())
                for tenant in tenants:
                    db.execute("select braid.add_tenant_member(%s, %s)", (tenant.key, MEMBER))
        distribute(coordinator)
        for dsn in (coordinator, plain):
            load(dsn, tenants, args.words, 1)
        settle([*workers.values(), plain])
        print(f"{'':44}{'alone':>10}{'on its node':>14}", flush=True)
        for tenant in tenants:
            with ExitStack() as stack:
                admins = [stack.enter_context(psycopg.connect(dsn, autocommit=True)) for dsn in workers.values()]
                home = node_of(tenant, admins).info
                there = make_conninfo(plain, host=home.host, port=home.port, dbname=home.dbname)
            searches(plain, there, tenant, source, args.queries)
            first_searches(plain, there, tenant, source)
            if tenant is tenants[0]:
                writes(plain, there, tenant, source)


def say(name: str, taken: Sequence[Sequence[float]]) -> None:
    """Print the medians in milliseconds: without Citus, and on a node."""
    alone, node = (statistics.median(column) for column in taken)
    print(f"{name:44}{alone:7.2f} ms{node:11.2f} ms  x {node / alone:.2f}", flush=True)


def member(dsn: str, tenant: Tenant) -> Connection:
    db: Connection = psycopg.connect(make_conninfo(dsn, user=MEMBER), autocommit=True)
    db.prepare_threshold = 0
    db.execute("select set_config('braid.tenant', %s, false)", (tenant.key,))
    return db


def timed(db: Connection, statement: str, values: Mapping[str, Any]) -> tuple[float, list[tuple[Any, ...]]]:
    begun = cpu_seconds(db.info.backend_pid)
    rows = db.execute(statement.encode(), values).fetchall()
    return (cpu_seconds(db.info.backend_pid) - begun) * 1000, rows


def searches(alone: str, node: str, tenant: Tenant, source: Source, count: int) -> None:
    queries = [{"query": text, "vector": as_text(vector)} for text, vector in source.queries(count)]
    different = compared = 0
    for kind, statement in SEARCHES.items():
        taken: list[list[float]] = [[], []]
        with member(alone, tenant) as one, member(node, tenant) as other:
            sessions = [one, other]
            for query in queries[:20]:
                for db in sessions:
                    timed(db, statement, query)
            for number, query in enumerate(queries):
                answers = {}
                for place in (0, 1) if number % 2 else (1, 0):
                    spent, answers[place] = timed(sessions[place], statement, query)
                    taken[place].append(spent)
                # Two vector indexes of the same vectors differ, because their links are random.
                if kind == "full text" or tenant.size < EXACT_ROWS:
                    compared += 1
                    different += answers[0] != answers[1]
        say(f"{kind}, {tenant.size:,} chunks", taken)
    print(f"answers without a vector index that differ, of {compared}: {different}", flush=True)


def first_searches(alone: str, node: str, tenant: Tenant, source: Source, count: int = 15) -> None:
    (text, vector), *_ = source.queries(1)
    query = {"query": text, "vector": as_text(vector)}
    taken: list[list[float]] = [[], []]
    for _ in range(count):
        for place, dsn in enumerate((alone, node)):
            with member(dsn, tenant) as db:
                taken[place].append(timed(db, SEARCHES["hybrid"], query)[0])
    say(f"first hybrid of a session, {tenant.size:,} chunks", taken)


def batch(source: Source, name: str, first: int, count: int) -> dict[str, Any]:
    documents, vectors = [], []
    for place, document in enumerate(source.documents(first, first + count), 1):
        vectors.append(as_text(document["embedding"]))
        documents.append({**document, "external_id": f"{name} {place}", "embedding": place})
    return {"documents": json.dumps(documents), "vectors": vectors}


def writes(alone: str, node: str, tenant: Tenant, source: Source) -> None:
    with member(alone, tenant) as one, member(node, tenant) as other:
        for size, count in ((10, 60), (1000, 8)):
            taken: list[list[float]] = [[], []]
            for number in range(-2, count):
                values = batch(source, f"{size} {number}", number % 50 * 1000, size)
                for place, db in enumerate((one, other)):
                    spent, _ = timed(db, WRITE, values)
                    if number >= 0:
                        taken[place].append(spent)
            say(f"{size:,} documents written", taken)
        taken = [[], []]
        for number in range(4):
            names = [f"1000 {number} {place}" for place in range(1, 1001)]
            for place, db in enumerate((one, other)):
                taken[place].append(timed(db, DELETE, {"names": names})[0])
        say("1,000 documents deleted", taken)


def throughput(args: argparse.Namespace) -> None:
    """Measure the throughput of many tenants: without Citus, on one worker, on two. Clients connect to each tenant's
    node."""
    tenants = [Tenant(rank, args.small, (rank - 1) * args.small) for rank in range(1, args.tenants + 1)]
    source = Source(args.words)
    with (
        databases(os.environ[VARIABLE]) as (two, workers, plain),
        databases(os.environ[VARIABLE], 1) as (one, worker, _),
    ):
        for dsn in (plain, one, two):
            define(dsn, tenants, EXACT_ROWS)
            if dsn != plain:
                distribute(dsn)
            load(dsn, tenants, args.words, 2)
        settle([plain, *worker.values(), *workers.values()])
        places = {"without Citus": [plain], "one worker": list(worker.values()), "two workers": list(workers.values())}
        entries = {"without Citus": plain, "one worker": one, "two workers": two}
        servers = {postmaster(dsn) for dsn in (plain, *workers.values())}
        found: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
        with searching(entries, tenants, source, args.clients) as ask:
            for name in entries:
                # Each client's first searches are not counted.
                ask(name, args.seconds)
                if args.pin:
                    pin(places[name])
            for turn in range(args.turns):
                for name in entries if turn % 2 else reversed(entries):
                    before, begun = cpu_of(servers), time.monotonic()
                    calls, client_cpu = ask(name, args.seconds)
                    elapsed, spent = time.monotonic() - begun, cpu_of(servers) - before
                    found[name].append((spent * 1000 / calls, client_cpu * 1000 / calls, calls / elapsed))
    print(f"{'':16}{'CPU a search: servers':>24}{'clients':>12}{'searches a second':>22}", flush=True)
    for name in entries:
        server, client, rate = (statistics.median(column) for column in zip(*found[name], strict=True))
        print(f"{name:16}{server:21.2f} ms{client:9.2f} ms{rate:22.1f}", flush=True)


@contextmanager
def searching(entries: Mapping[str, str], tenants: Sequence[Tenant], source: Source, count: int) -> Iterator[Any]:
    """Yield a function that makes all clients search for some seconds and returns the number of searches and the
    clients' CPU."""
    pipes: list[tuple[Any, Any]] = [CONTEXT.Pipe() for _ in range(count)]
    clients = [
        CONTEXT.Process(target=search, args=(end, entries, tenants, source, number))
        for number, (_, end) in enumerate(pipes)
    ]
    for client in clients:
        client.start()

    def ask(name: str, seconds: float) -> tuple[int, float]:
        for pipe, _ in pipes:
            pipe.send((name, seconds))
        answers = [pipe.recv() for pipe, _ in pipes]
        return sum(calls for calls, _ in answers), sum(cpu for _, cpu in answers)

    try:
        yield ask
    finally:
        for pipe, _ in pipes:
            pipe.send(None)
        for client in clients:
            client.join()


def search(pipe: Any, entries: Mapping[str, str], tenants: Sequence[Tenant], source: Source, number: int) -> None:
    """Run a client."""
    rng = random.Random(number)
    queries = source.queries(300)
    with ExitStack() as stack:
        opened = {
            name: stack.enter_context(pgbraid.connect(make_conninfo(dsn, user=SERVICE)))
            for name, dsn in entries.items()
        }
        while asked := pipe.recv():
            name, seconds = asked
            client, calls, begun = opened[name], 0, time.process_time()
            stop = time.monotonic() + seconds
            while time.monotonic() < stop:
                client.tenant = rng.choice(tenants).key
                text, vector = rng.choice(queries)
                found = client.search(text, collection=COLLECTION, embedding=vector)
                assert len(found) == 10
                calls += 1
            pipe.send((calls, time.process_time() - begun))


def pin(dsns: Sequence[str]) -> None:
    for core, dsn in enumerate(dsns):
        with psycopg.connect(dsn) as db:
            sessions = db.execute(
                "select pid from pg_stat_activity where usename = %s and datname = current_database()", (SERVICE,)
            ).fetchall()
        for (pid,) in sessions:
            os.sched_setaffinity(pid, {core})


def postmaster(dsn: str) -> int:
    with psycopg.connect(dsn) as db:
        return parent_of(db.info.backend_pid)


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])


def cpu_of(servers: set[int]) -> float:
    """Return the CPU seconds of all present and ended processes of these servers."""
    spent = sum(cpu_of_ended(server) for server in servers)
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if parent_of(int(folder.name)) in servers:
                spent += cpu_seconds(int(folder.name))
        except OSError:
            pass  # the process has ended
    return spent


if __name__ == "__main__":
    main()
