"""Load tenants with texts and vectors through the API in several sessions."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

import pgbraid
from benchmarks.full_text.corpus import Synthetic
from benchmarks.semantic.corpus import Corpus
from pgbraid import embedded
from pgbraid.install import install

Connection = psycopg.Connection[Any]
COLLECTION, SERVICE = "corpus", "tenants_service"
# Vectors are taken in turn from this number of vectors: no two are equal in a tenant with at most this many chunks.
VECTORS = 20_000
# The number of documents in a call.
BATCH = 1000
TICKS = os.sysconf("SC_CLK_TCK")
CONTEXT = multiprocessing.get_context("fork")


@dataclass(frozen=True)
class Tenant:
    """Hold a tenant; `first` is the number of its first document among all tenants' documents."""

    rank: int
    size: int
    first: int

    @property
    def key(self) -> str:
        return f"t{self.rank}"


def zipf_tenants(count: int, largest: int, others: int) -> list[Tenant]:
    """Return tenants: rank 1 has `largest` chunks, and the others share `others` chunks by Zipf's law."""
    weights = [1 / rank for rank in range(2, count + 1)]
    sizes = [largest, *(max(1, round(others * weight / sum(weights))) for weight in weights)]
    tenants: list[Tenant] = []
    first = 0
    for rank, size in enumerate(sizes, 1):
        tenants.append(Tenant(rank, size, first))
        first += size
    return tenants


class Source:
    """Make documents of one chunk each, by their number among all tenants' documents."""

    def __init__(self, words: int, vectors: int = VECTORS) -> None:
        self._words = words
        self._texts = Synthetic(0)
        self._corpus = Corpus(vectors)

    def documents(self, first: int, last: int) -> Iterator[dict[str, Any]]:
        vectors = self._corpus.vectors
        for number, document in enumerate(self._texts.documents(first, last), first):
            yield {
                "external_id": document["external_id"],
                "content": " ".join(document["chunks"][0]["content"].split()[: self._words]),
                "embedding": vectors[number % len(vectors)],
            }

    def queries(self, count: int) -> list[tuple[str, Any]]:
        """Return queries of two, four and eight words, in turn, with a vector."""
        asked = [self._texts.queries(length, -(-count // 3)) for length in (2, 4, 8)]
        texts = [query.text for queries in zip(*asked, strict=True) for query in queries][:count]
        return list(zip(texts, self._corpus.queries(count), strict=True))


def prepare(server: embedded.Server, database: str, tenants: Sequence[Tenant], exact_rows: int) -> str:
    """Create a database with these tenants, still empty; return its DSN."""
    with psycopg.connect(server.dsn_for("postgres"), autocommit=True) as db:
        db.execute(sql.SQL("create database {}").format(sql.Identifier(database)))
    dsn = server.dsn_for(database)
    define(dsn, tenants, exact_rows)
    return dsn


def define(dsn: str, tenants: Sequence[Tenant], exact_rows: int) -> None:
    """Install pgbraid and create these tenants."""
    install(dsn)
    with psycopg.connect(dsn, autocommit=True) as db:
        if db.execute("select from pg_roles where rolname = %s", (SERVICE,)).fetchone() is None:
            db.execute(sql.SQL("create role {} login").format(sql.Identifier(SERVICE)))
        db.execute(sql.SQL("grant braid_writer to {}").format(sql.Identifier(SERVICE)))
        db.execute("select braid.add_trusted_role(%s, 'service')", (SERVICE,))
        # A lower limit makes more tables of vectors out of fewer chunks.
        db.execute("update braid_store.vector_settings set exact_rows = %s", (exact_rows,))
        db.execute(
            "select braid.create_collection(%s, text_config => 'simple', dimensions => 384, embedding_model => 'any')",
            (COLLECTION,),
        )
        create_tenants(db, tenants)


def create_tenants(db: Connection, tenants: Iterable[Tenant]) -> None:
    keys = [tenant.key for tenant in tenants]
    # Each tenant is locked until its transaction ends.
    for first in range(0, len(keys), 1000):
        db.execute("select count(braid.create_tenant(k)) from unnest(%s::text[]) k", (keys[first : first + 1000],))


def load(dsn: str, tenants: Sequence[Tenant], words: int, sessions: int, vectors: int = VECTORS) -> float:
    """Write documents in batches of up to a thousand, a tenant at a time; return the server's CPU seconds."""
    source = Source(words, vectors)
    parts: list[list[Tenant]] = [[] for _ in range(sessions)]
    loads = [0] * sessions
    for tenant in tenants:
        # A call costs about as much as ten more documents.
        lightest = loads.index(min(loads))
        parts[lightest].append(tenant)
        loads[lightest] += tenant.size + 10
    answers: Any = CONTEXT.Queue()
    processes = [CONTEXT.Process(target=_load, args=(dsn, part, source, answers)) for part in parts]
    for process in processes:
        process.start()
    taken: list[float] = [answers.get() for _ in processes]
    for process in processes:
        process.join()
    return sum(taken)


def _load(dsn: str, tenants: list[Tenant], source: Source, answers: Any) -> None:
    with pgbraid.connect(dsn) as client:
        for tenant in tenants:
            client.tenant = tenant.key
            for first in range(tenant.first, tenant.first + tenant.size, BATCH):
                batch = list(source.documents(first, min(first + BATCH, tenant.first + tenant.size)))
                client.add_documents(batch, collection=COLLECTION)
        answers.put(cpu_seconds(client.connection.info.backend_pid))


def maintain(db: Connection) -> tuple[int, float, list[str]]:
    """Run maintain() until nothing is left; return the number of calls, the session's CPU seconds, and the warnings."""
    calls, warnings = 0, []
    begun = cpu_seconds(db.info.backend_pid)
    while True:
        row = db.execute("select braid.maintain('1 hour')").fetchone()
        assert row is not None
        calls += 1
        warnings += row[0]["warnings"]
        if row[0]["complete"]:
            return calls, cpu_seconds(db.info.backend_pid) - begun, warnings


def cpu_seconds(pid: int) -> float:
    """Return a process's CPU seconds, to the nanosecond if the kernel reports it."""
    exact = Path(f"/proc/{pid}/schedstat")
    if exact.exists():
        return int(exact.read_text().split()[0]) / 1e9
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def cpu_of_ended(postmaster: int) -> float:
    """Return the CPU seconds of all ended sessions of a server."""
    fields = Path(f"/proc/{postmaster}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[13]) + int(fields[14])) / TICKS
