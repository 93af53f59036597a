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
from benchmarks.full_text.corpus import Synthetic
from benchmarks.peers.corpora import LETTERS, SHARES, Query, attributes
from benchmarks.peers.engine import FULL_TEXT, HYBRID, TOP, VECTOR, Answer, Engine, Ways, Where, cpu_seconds
from benchmarks.peers.engines.databases import Connection, connect, create_database, database_size, settle, version
from benchmarks.semantic.corpus import DIMENSIONS, Corpus, text
from pgbraid.install import install

TENANT, COLLECTION, READER, WRITER = "bench", "corpus", "bench_reader", "bench_writer"
# The documents of a call of add_documents. They are made outside the timed steps.
BATCH = 1000
WRITTEN, SPARE = "written", 20_000
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
    filtered: ClassVar[tuple[str, ...]] = (HYBRID, FULL_TEXT, VECTOR)
    formula = "lucene, alphanumeric"

    @property
    def database(self) -> str:
        # Other measurements load this corpus, too.
        return TENANT if self.corpus.name == LETTERS else f"{TENANT}_{self.corpus.name}"

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
                settle(admin)

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

    def first_search(self, query: Query) -> float:
        """Return the CPU milliseconds of a new session with one hybrid search."""
        with self._connect() as db:
            self._answer(db, HYBRID, query, None, PLAIN[HYBRID])()
            return cpu_seconds(db.info.backend_pid) * 1000

    def write(self, batch: int, first: int, count: int) -> dict[str, float]:
        """Write documents that are not of the corpus; return the milliseconds of each, by the clock and of CPU."""
        dsn = make_conninfo(self.place.dsn, dbname=self.database, user=WRITER)
        texts, vectors = self._spare
        made = [
            {"external_id": f"w{number}", "content": texts[number % SPARE], "embedding": vectors[number % SPARE]}
            for number in range(first, first + count)
        ]
        with pgbraid.connect(dsn, tenant=TENANT, embedder=None) as client:
            backend = client.connection.info.backend_pid
            spent, started = cpu_seconds(backend), time.perf_counter()
            for start in range(0, count, batch):
                client.add_documents(made[start : start + batch], collection=WRITTEN)
            seconds = time.perf_counter() - started
            return {"clock": seconds * 1000 / count, "cpu": (cpu_seconds(backend) - spent) * 1000 / count}

    @cached_property
    def _spare(self) -> tuple[list[str], Any]:
        with connect(make_conninfo(self.place.dsn, dbname=self.database)) as admin:
            # An earlier run wrote the same documents.
            if admin.execute("select from braid.collections where name = %s", (WRITTEN,)).fetchall():
                admin.execute("select braid.drop_collection(%s)", (WRITTEN,))
            admin.execute(
                "select braid.create_collection(%s, text_config => 'simple', dimensions => %s)", (WRITTEN, DIMENSIONS)
            )
        texts = [document["chunks"][0]["content"] for document in Synthetic(SPARE).documents(0, SPARE)]
        return texts, Corpus(SPARE).vectors

    def bytes_on_disk(self) -> int:
        return database_size(self.place.dsn, self.database)

    def process_id(self) -> int:
        return self._db.info.backend_pid
