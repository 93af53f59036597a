"""Run searches and writes of many clients for many tenants through PgBouncer, in transaction mode.

Run it with `python -m benchmarks.pooled` in tests/. With `--citus`, the calls run on the cluster whose coordinator
PGBRAID_CITUS_DSN names, in a database of their own, with a PgBouncer before each worker.

The benchmark checks that no call fails, that each row belongs to its tenant, and that each hybrid search returns as
many rows as requested. Afterwards, written documents must be there, deleted ones must not, and indexes must match
texts.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
from install.citus.conftest import VARIABLE, databases
from psycopg.conninfo import conninfo_to_dict, make_conninfo

import pgbraid
from benchmarks.search import table
from benchmarks.tenants.loading import (
    COLLECTION,
    CONTEXT,
    SERVICE,
    Source,
    Tenant,
    cpu_seconds,
    define,
    load,
    maintain,
    prepare,
    zipf_tenants,
)
from pgbraid import embedded
from pgbraid.install import install
from pgbraid_tools.cluster import distribute
from support import temporary_folder
from support.pgbouncer import pooled

DATABASE = "pooled"
# Each kind gets this number of a hundred calls.
KINDS = {"hybrid": 45, "full text": 20, "write": 15, "metadata": 5, "read": 10, "delete": 5}
DOCUMENTS_A_WRITE = 5
# Each client writes texts from this number of texts.
WRITTEN = 1000
QUERIES = 300


@dataclass
class Outcome:
    """Hold a client's figures: its calls' seconds by kind, counts of wrong results, and its own CPU.

    `written` holds the last text that it wrote, by tenant and document, or None for a deleted document.
    """

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    wrong: Counter[str] = field(default_factory=Counter)
    written: dict[tuple[str, str], str | None] = field(default_factory=dict)
    cpu: float = 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--postgres-version", type=int, default=embedded.DEFAULT_VERSION)
    parser.add_argument("--citus", action="store_true", help=f"on the cluster of {VARIABLE}")
    parser.add_argument("--data-dir", type=Path, help="where the loaded database is kept, or is already")
    parser.add_argument("--tenants", type=int, default=100)
    parser.add_argument("--chunks", type=int, default=30_000, help="of all tenants, by Zipf's law")
    parser.add_argument("--words", type=int, default=150, help="of a chunk")
    parser.add_argument("--shards-from", type=int, default=1000, help="tenants of so many chunks get a vector index")
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--pool", type=int, default=8, help="connections of each PgBouncer to its server")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--pause", type=float, default=0, help="seconds between a client's calls")
    parser.add_argument("--maintain-every", type=float, default=15, help="seconds")
    args = parser.parse_args()
    weights = sum(1 / rank for rank in range(1, args.tenants + 1))
    largest = round(args.chunks / weights)
    tenants = zipf_tenants(args.tenants, largest, args.chunks - largest)
    with (cluster if args.citus else single)(tenants, args) as nodes:
        with psycopg.connect(next(iter(nodes.values()))) as db:
            version = db.info.server_version // 10000
        print(
            f"PostgreSQL {version}, {os.cpu_count()} cores; {args.tenants} tenants of {tenants[0].size:,} to "
            f"{tenants[-1].size:,} chunks; {args.clients} clients, {args.pool} connections to each of {len(nodes)}",
            flush=True,
        )
        run(nodes, tenants, args)


@contextmanager
def single(tenants: list[Tenant], args: argparse.Namespace) -> Iterator[dict[str, str]]:
    """Run a server of our own."""
    data_dir = args.data_dir or temporary_folder()
    try:
        server = embedded.ensure_running(data_dir, args.postgres_version)
        dsn = server.dsn_for(DATABASE)
        with psycopg.connect(server.dsn_for("postgres"), autocommit=True) as db:
            is_loaded = db.execute("select from pg_database where datname = %s", (DATABASE,)).fetchone() is not None
        if is_loaded:
            install(dsn)
        else:
            prepare(server, DATABASE, tenants, args.shards_from)
            load(dsn, tenants, args.words, 2)
            settle([dsn])
        yield {"": dsn}
    finally:
        embedded.stop(data_dir)
        if not args.data_dir:
            shutil.rmtree(data_dir)


@contextmanager
def cluster(tenants: list[Tenant], args: argparse.Namespace) -> Iterator[dict[str, str]]:
    """Yield the DSNs of a cluster's workers, by Citus' names."""
    with databases(os.environ[VARIABLE]) as (coordinator, workers, _):
        define(coordinator, tenants, args.shards_from)
        distribute(coordinator)
        for dsn in workers.values():
            # Each node has the setting for itself.
            with psycopg.connect(dsn, autocommit=True) as db:
                db.execute("update braid_store.vector_settings set exact_rows = %s", (args.shards_from,))
        load(coordinator, tenants, args.words, 2)
        settle(workers.values())
        yield workers


def settle(dsns: Iterable[str]) -> None:
    for dsn in dsns:
        with psycopg.connect(dsn, autocommit=True) as db:
            maintain(db)
            db.execute("vacuum analyze")


def run(nodes: Mapping[str, str], tenants: list[Tenant], args: argparse.Namespace) -> None:
    source = Source(args.words)
    answers: Any = CONTEXT.Queue()
    with ExitStack() as stack:
        admins = [stack.enter_context(psycopg.connect(dsn, autocommit=True)) for dsn in nodes.values()]
        through = {name: stack.enter_context(pooled(dsn, SERVICE, size=args.pool)) for name, dsn in nodes.items()}
        if args.citus:
            addresses = {name: conninfo_to_dict(dsn) for name, dsn in through.items()}
            os.environ["PGBRAID_NODES"] = ",".join(f"{name}={a['host']}:{a['port']}" for name, a in addresses.items())
        entries = [make_conninfo(dsn, user=SERVICE) for dsn in through.values()]
        clients = [
            CONTEXT.Process(target=work, args=(entries[number % len(entries)], number, tenants, source, args, answers))
            for number in range(args.clients)
        ]
        begun, upkeep = time.monotonic(), sum(cpu_seconds(admin.info.backend_pid) for admin in admins)
        for client in clients:
            client.start()
        warnings: list[str] = []
        ended = threading.Event()
        keeping = [
            threading.Thread(target=keep, args=(admin, ended, args.maintain_every, warnings)) for admin in admins
        ]
        for thread in keeping:
            thread.start()
        try:
            # A client that has died does not answer.
            outcomes: list[Outcome] = [answers.get(timeout=args.seconds + 300) for _ in clients]
            elapsed = time.monotonic() - begun
        finally:
            ended.set()
            for thread in keeping:
                thread.join()
        upkeep = sum(cpu_seconds(admin.info.backend_pid) for admin in admins) - upkeep
        pids = [
            pid
            for admin in admins
            for (pid,) in admin.execute(
                "select pid from pg_stat_activity where usename = %s and datname = current_database()", (SERVICE,)
            )
        ]
        server_cpu = sum(cpu_seconds(pid) for pid in pids)
        for client in clients:
            client.join()
        report(outcomes, elapsed)
        print(
            f"CPU: {server_cpu:.1f} s in {len(pids)} sessions of the pool, {upkeep:.1f} in maintain, "
            f"{sum(outcome.cpu for outcome in outcomes):.1f} in the clients, of {elapsed:.0f} s by the clock",
            flush=True,
        )
        wrong = sum((outcome.wrong for outcome in outcomes), Counter[str]())
        print(f"wrong: {dict(wrong) or 'nothing'}; warnings of maintain: {warnings or 'none'}", flush=True)
        verify(admins, tenants, outcomes)


def keep(admin: psycopg.Connection[Any], ended: threading.Event, every: float, warnings: list[str]) -> None:
    while not ended.wait(every):
        row = admin.execute("select braid.maintain('5 seconds')").fetchone()
        assert row is not None
        warnings += row[0]["warnings"]


def work(dsn: str, number: int, tenants: list[Tenant], source: Source, args: argparse.Namespace, answers: Any) -> None:
    """Run a client."""
    rng = random.Random(number)
    outcome = Outcome()
    queries = source.queries(QUERIES)
    texts = list(source.documents(WRITTEN * number, WRITTEN * (number + 1)))
    weights = [1 / tenant.rank for tenant in tenants]
    with pgbraid.connect(dsn) as client:
        stop = time.monotonic() + args.seconds
        turn = 0
        while time.monotonic() < stop:
            turn += 1
            (tenant,) = rng.choices(tenants, weights)
            (kind,) = rng.choices(list(KINDS), list(KINDS.values()))
            client.tenant = tenant.key
            own = [
                name for key, name in outcome.written if key == tenant.key and outcome.written[key, name] is not None
            ]
            if kind in ("metadata", "delete") and not own:
                kind = "write"
            started = time.perf_counter()
            try:
                call(client, kind, tenant, rng, f"{number}-{turn}", own, texts, queries, outcome)
            except (pgbraid.PgbraidError, psycopg.Error) as error:
                outcome.wrong[f"{kind}: {type(error).__name__}: {error}"[:300]] += 1
            outcome.seconds[kind].append(time.perf_counter() - started)
            if args.pause:
                time.sleep(args.pause)
    outcome.cpu = time.process_time()
    answers.put(outcome)


def call(
    client: pgbraid.Client,
    kind: str,
    tenant: Tenant,
    rng: random.Random,
    name: str,
    own: list[str],
    texts: list[dict[str, Any]],
    queries: list[tuple[str, Any]],
    outcome: Outcome,
) -> None:
    """Make a call of a kind. A client changes only its own documents, so it knows their texts."""
    if kind in ("hybrid", "full text"):
        text, vector = rng.choice(queries)
        if kind == "hybrid":
            found = client.search(text, collection=COLLECTION, embedding=vector)
        else:
            found = client.search(text, collection=COLLECTION, mode="full_text")
        outcome.wrong["too few rows"] += kind == "hybrid" and len(found) < min(10, tenant.size)
        outcome.wrong["rows of others"] += sum(not is_of(tenant, row.external_id) for row in found)
        outcome.wrong["underfilled"] += any(warning["code"] == "underfilled" for warning in found.warnings)
    elif kind == "write":
        # One write in three replaces a document.
        names = {
            rng.choice(own) if own and rng.random() < 1 / 3 else f"{tenant.key} {name}-{place}"
            for place in range(DOCUMENTS_A_WRITE)
        }
        documents = [{**rng.choice(texts), "external_id": written} for written in sorted(names)]
        client.add_documents(documents, collection=COLLECTION)
        outcome.written.update({(tenant.key, d["external_id"]): d["content"] for d in documents})
    elif kind == "read":
        loaded = tenant.first + rng.randrange(tenant.size)
        outcome.wrong["document is gone"] += client.get_document(f"d{loaded}", collection=COLLECTION) is None
    elif kind == "metadata":
        done = client.update_metadata(rng.choice(own), {"seen": name}, collection=COLLECTION)
        outcome.wrong["document is gone"] += not done
    elif kind == "delete":
        gone = rng.choice(own)
        outcome.wrong["document is gone"] += client.delete_documents([gone], collection=COLLECTION) != 1
        outcome.written[tenant.key, gone] = None


def is_of(tenant: Tenant, name: str) -> bool:
    if name.startswith("d"):
        return tenant.first <= int(name[1:]) < tenant.first + tenant.size
    return name.startswith(f"{tenant.key} ")


def report(outcomes: list[Outcome], elapsed: float) -> None:
    rows = []
    for kind in KINDS:
        taken = sorted(seconds * 1000 for outcome in outcomes for seconds in outcome.seconds.get(kind, []))
        if len(taken) > 1:
            cuts = statistics.quantiles(taken, n=100)
            cells = [
                f"{len(taken):,}",
                f"{len(taken) / elapsed:.1f}",
                *(f"{cuts[place]:.0f}" for place in (49, 94, 98)),
            ]
            rows.append((kind, cells))
    table(f"{elapsed:.0f} seconds", ["calls", "a second", "p50 ms", "p95 ms", "p99 ms"], rows)


def verify(admins: Sequence[psycopg.Connection[Any]], tenants: list[Tenant], outcomes: list[Outcome]) -> None:
    """Check that each acknowledged write is stored, and nothing else, and that each tenant's index matches its
    texts."""
    for admin in admins:
        maintain(admin)
    expected: dict[str, dict[str, str]] = defaultdict(dict)
    for outcome in outcomes:
        for (key, name), text in outcome.written.items():
            if text is not None:
                expected[key][name] = text
    differences = problems = 0
    for tenant in tenants:
        admin = node_of(tenant, admins)
        rows = admin.execute(
            "select d.external_id, c.content from braid_store.documents d "
            "join braid_store.chunks c on c.tenant_id = d.tenant_id and c.document_id = d.id "
            "where d.tenant_id = braid.current_tenant_id() and d.external_id like %s",
            (f"{tenant.key} %",),
        ).fetchall()
        # Documents of earlier runs on the same data are ignored.
        ours = {name for outcome in outcomes for key, name in outcome.written if key == tenant.key}
        differences += {name: text for name, text in rows if name in ours} != expected[tenant.key]
        row = admin.execute("select count(*) from braid.check_index(%s)", (COLLECTION,)).fetchone()
        assert row is not None
        problems += row[0]
    print(f"tenants whose documents differ from what was written: {differences}; problems of indexes: {problems}")


def node_of(tenant: Tenant, admins: Sequence[psycopg.Connection[Any]]) -> psycopg.Connection[Any]:
    """Return a session that acts for this tenant, on the tenant's node."""
    for admin in admins:
        admin.execute("select set_config('braid.tenant', %s, false)", (tenant.key,))
        # Other nodes refuse the call.
        with suppress(psycopg.errors.ObjectNotInPrerequisiteState):
            admin.execute("select braid.current_tenant_id()")
            return admin
    raise AssertionError(f"no node has {tenant.key}")


if __name__ == "__main__":
    main()
