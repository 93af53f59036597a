"""Run pgbraid with a login that row-level security restricts to its tenant."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from typing import Any, ClassVar

import psycopg
from psycopg.conninfo import make_conninfo
from psycopg.types.json import Jsonb

import pgbraid
from benchmarks.peers.corpora import SHARES, Query, attributes
from benchmarks.peers.engine import FULL_TEXT, HYBRID, TOP, VECTOR, Answer, Engine, Ways, Where
from benchmarks.peers.engines.databases import Connection, connect, create_database, database_size, settle, version
from benchmarks.semantic.corpus import DIMENSIONS, text
from pgbraid.install import install
from pgbraid_tools.cli.reclaim import reclaim_space

TENANT, COLLECTION, READER, WRITER = "bench", "corpus", "bench_reader", "bench_writer"
# Documents are made in batches outside the timed steps.
BATCH = 10_000
CALLS = {
    HYBRID: "braid.hybrid_search(%(text)s, %(vector)s::vector, match_count => %(count)s, ",
    FULL_TEXT: "braid.full_text_search(%(text)s, match_count => %(count)s, ",
    VECTOR: "braid.semantic_search(%(vector)s::vector, match_count => %(count)s, ",
}
NAMED = "filters => %(filters)s, collection => %(collection)s, options => %(options)s)"
# The other engines read no operators in a query.
PLAIN = {HYBRID: {"operators": False}, FULL_TEXT: {"operators": False}, VECTOR: {}}


class Pgbraid(Engine):
    ways: ClassVar[Ways] = {HYBRID: ("pgbraid",), FULL_TEXT: ("pgbraid",), VECTOR: ("pgbraid",)}
    filtered = (HYBRID, FULL_TEXT, VECTOR)
    formula = "lucene, alphanumeric"

    @property
    def database(self) -> str:
        # The corpus without vectors has a database of its own, as other measurements load it.
        return TENANT if self.corpus.has_vectors else f"{TENANT}_{self.corpus.name}"

    def is_loaded(self) -> bool:
        create_database(self.place.dsn, self.database)
        dsn = make_conninfo(self.place.dsn, dbname=self.database)
        install(dsn)
        with connect(dsn) as db:
            row = db.execute(
                "select count(*) from braid_store.chunks k join braid_store.collections c on c.id = k.collection_id"
                " where c.name = %s",
                (COLLECTION,),
            ).fetchone()
        assert row is not None
        return bool(row[0] == self.corpus.size)

    def load(self) -> None:
        dsn = make_conninfo(self.place.dsn, dbname=self.database)
        with connect(dsn) as admin:
            self._prepare(admin)
            with pgbraid.connect(make_conninfo(dsn, user=WRITER), tenant=TENANT, embedder=None) as client:
                documents = self._documents()
                # The time to make documents does not count as loading.
                while batch := list(islice(documents, BATCH)):
                    with self.step("rows and text index"):
                        client.add_documents(batch, collection=COLLECTION)
            admin.execute("set maintenance_work_mem = '2GB'")
            with self.step("vector index" if self.corpus.has_vectors else "upkeep"):
                while not admin.execute("select braid.maintain('1 hour') -> 'complete'").fetchall()[0][0]:
                    pass
            with self.step("upkeep"):
                # `pgbraid maintain` calls the same function.
                warnings: list[str] = []
                reclaim_space(admin, time.monotonic() + 3600, warnings)
                settle(admin)
                if warnings:
                    raise RuntimeError(f"space was not given back: {warnings}")

    def _prepare(self, admin: Connection) -> None:
        admin.execute("select braid.create_tenant(%s)", (TENANT,))
        for login, role in ((READER, "braid_reader"), (WRITER, "braid_writer")):
            admin.execute(f"do $$ begin create role {login} login; exception when duplicate_object then null; end $$")
            admin.execute(f"grant {role} to {login}")
            admin.execute("select braid.add_tenant_member(%s, %s)", (TENANT, login))
        declared = {f"{key}_declared": "number" for key in SHARES}
        admin.execute(
            "select braid.create_collection(%s, text_config => 'simple', dimensions => %s,"
            ' settings => \'{"index_fields": ["title", "content"]}\', indexed_attributes => %s)',
            (COLLECTION, DIMENSIONS, Jsonb(declared)),
        )

    def _documents(self) -> Iterator[dict[str, Any]]:
        vectors = self.corpus.vectors if self.corpus.has_vectors else None
        for number, content in enumerate(self.corpus.texts()):
            chunk: dict[str, Any] = {"content": content}
            if vectors is not None:
                chunk["embedding"] = vectors[number]
            yield {"external_id": f"d{number}", "chunks": [chunk], "metadata": attributes(number)}

    def open(self) -> str:
        self._db = self._connect()
        return f"pgbraid {pgbraid.__version__}, {version(self._db)}"

    def _connect(self) -> Connection:
        dsn = make_conninfo(self.place.dsn, dbname=self.database, user=READER)
        db = psycopg.connect(dsn, autocommit=True, prepare_threshold=0)
        db.execute("select set_config('braid.tenant', %s, false)", (TENANT,))
        return db

    @cached_property
    def _comparing(self) -> Connection:
        """Return a connection for exact searches, which read all vectors and must not add to the measured memory."""
        return self._connect()

    def answer(self, mode: str, way: str, query: Query, where: Where | None) -> Answer:
        return self._answer(self._db, mode, query, where, PLAIN[mode])

    def exact(self, mode: str, way: str, query: Query, where: Where | None) -> list[int]:
        return self._answer(self._comparing, mode, query, where, {**PLAIN[mode], "exact": True})()

    def _answer(self, db: Connection, mode: str, query: Query, where: Where | None, options: dict[str, Any]) -> Answer:
        statement = f"select external_id from {CALLS[mode]}{NAMED}"
        values = {
            "text": query.text,
            "vector": text(query.vector),
            "count": TOP,
            "filters": Jsonb({where.column: 0}) if where else None,
            "collection": COLLECTION,
            "options": Jsonb(options),
        }
        return lambda: [int(row[0][1:]) for row in db.execute(statement, values)]

    def bytes_on_disk(self) -> int:
        return database_size(self.place.dsn, self.database)

    def process_id(self) -> int:
        return self._db.info.backend_pid
