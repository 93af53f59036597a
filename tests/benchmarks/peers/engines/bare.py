"""Scan the HNSW index of pgbraid's vectors without pgbraid, as widely as finds what semantic_search finds."""

from __future__ import annotations

from typing import Any, ClassVar

import psycopg
from psycopg.conninfo import make_conninfo

from benchmarks.peers.corpora import Query
from benchmarks.peers.engine import TOP, VECTOR, Answer, Ways, Where
from benchmarks.peers.engines.databases import Connection
from benchmarks.peers.engines.pgbraid_search import COLLECTION, PLAIN, Pgbraid
from benchmarks.semantic.corpus import DIMENSIONS, Vectors, text

WIDTHS = (40, 60, 80, 100, 120, 150, 200, 250, 300, 400, 600, 1000)
SHARD = """
select s.id, s.storage, coalesce(s.index_type, s.storage) from braid_store.vector_shards s
join braid_store.collections c on c.id = s.collection_id where c.name = %s and s.state = 'serving'
"""
NUMBERS = """
select c.id, substr(d.external_id, 2)::int from braid_store.chunks c
join braid_store.documents d on d.id = c.document_id
"""


class Bare(Pgbraid):
    ways: ClassVar[Ways] = {VECTOR: ("bare index scan of equal recall",)}
    filtered = ()

    def is_loaded(self) -> bool:
        return True

    def open(self) -> str:
        dsn = make_conninfo(self.place.dsn, dbname=self.database)
        self._reader = self._connect()
        self._db: Connection = psycopg.connect(dsn, autocommit=True, prepare_threshold=0)
        self._db.execute("set jit = off")
        self._db.execute("set enable_seqscan = off")
        shards = self._db.execute(SHARD, (COLLECTION,)).fetchall()
        if not shards:
            raise RuntimeError("there is no vector index yet: let maintain() make it")
        ((shard, _, kind),) = shards
        indexed = f"{kind}({DIMENSIONS})"
        self._statement = (
            f"select chunk_id from braid_store.vectors_{shard} where not is_duplicate "
            f"order by embedding::{indexed} <=> %(vector)s::{indexed} limit {TOP}"
        )
        self._numbers = dict(self._db.execute(NUMBERS).fetchall())
        target = self._recall(
            lambda vector: self._answer(self._reader, VECTOR, Query("", vector), None, PLAIN[VECTOR])()
        )
        recall = 0.0
        for width in WIDTHS:
            self._db.execute(f"set hnsw.ef_search = {width}")
            recall = self._recall(self._nearest)
            if recall >= target:
                break
        return f"hnsw.ef_search {width} (recall {recall:.3f}, semantic_search {target:.3f})"

    def _recall(self, search: Any) -> float:
        vectors, truth = self.corpus.tuning
        found = (set(search(vector)) for vector in vectors)
        return sum(len(ids.intersection(true)) for ids, true in zip(found, truth, strict=True)) / 10 / len(truth)

    def _nearest(self, vector: Vectors) -> list[int]:
        return [self._numbers[row[0]] for row in self._db.execute(self._statement.encode(), {"vector": text(vector)})]

    def answer(self, mode: str, way: str, query: Query, where: Where | None) -> Answer:
        return lambda: self._nearest(query.vector)
