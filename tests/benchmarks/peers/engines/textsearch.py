"""Run pg_textsearch and pgvector without pgbraid: one table with a BM25 and an HNSW index, fused by rank.

The server must have the extension; `--textsearch-dsn` names a database of it.
"""

from __future__ import annotations

from typing import Any, ClassVar

import psycopg

from benchmarks.peers.corpora import SHARES, Query, attributes
from benchmarks.peers.engine import FULL_TEXT, HYBRID, TOP, VECTOR, Answer, Engine, Ways, Where
from benchmarks.peers.engines.databases import connect, settle
from benchmarks.peers.engines.databases import version as version_of
from benchmarks.semantic.corpus import DIMENSIONS, Vectors, text

WAY = "pg_textsearch + HNSW by hand"
K, DEPTH = 60, 20
COLUMNS = [f"{key}{suffix}" for key in SHARES for suffix in ("", "_declared")]
TABLE = f"""
create extension if not exists vector;
create extension if not exists pg_textsearch;
drop table if exists documents;
create table documents (
  id bigint primary key, content text, {", ".join(f"{column} int" for column in COLUMNS)},
  embedding vector({DIMENSIONS})
)
"""
WORDS = """
select id from documents where true {filter}
order by content <@> to_bm25query(%(words)s, 'documents_content_idx') limit %(count)s
"""
NEAREST = """
select id from documents where true {filter} order by embedding::{type} <=> %(vector)s::{type} limit %(count)s
"""
BOTH = f"""
with full_text as (select id, row_number() over () as place from ({WORDS}) t),
     semantic as (select id, row_number() over () as place from ({NEAREST}) t)
select coalesce(f.id, s.id) as id
from full_text f full join semantic s on s.id = f.id
order by coalesce(1.0 / ({K} + f.place), 0) + coalesce(1.0 / ({K} + s.place), 0) desc
limit {TOP}
"""
STATEMENTS = {HYBRID: BOTH, FULL_TEXT: WORDS, VECTOR: NEAREST}


class Textsearch(Engine):
    ways: ClassVar[Ways] = {HYBRID: (WAY,), FULL_TEXT: ("pg_textsearch",)}
    filtered = (HYBRID, FULL_TEXT)
    formula = "lucene, alphanumeric"
    fusion = (K, DEPTH)

    def is_loaded(self) -> bool:
        with connect(self.place.dsn) as db:
            ((is_loaded,),) = db.execute("select to_regprocedure('loaded()') is not null").fetchall()
        return bool(is_loaded)

    def load(self) -> None:
        with connect(self.place.dsn) as db:
            db.execute(TABLE.encode())
            db.execute("set maintenance_work_mem = '600MB'")
            names, vectors = ["id", "content", *COLUMNS, "embedding"], self.corpus.vectors
            with self.step("rows"), db.cursor().copy(f"copy documents ({', '.join(names)}) from stdin") as copy:
                for number, content in enumerate(self.corpus.texts()):
                    values = attributes(number)
                    copy.write_row([number, content, *(values[name] for name in COLUMNS), text(vectors[number])])
            with self.step("text index"):
                db.execute("create index on documents using bm25 (content) with (text_config = 'simple')")
            with self.step("vector index"):
                # pgbraid chooses the same type and parameters.
                db.execute(
                    f"create index on documents using hnsw ((embedding::halfvec({DIMENSIONS})) halfvec_cosine_ops)"
                    " with (m = 16, ef_construction = 100)"
                )
            with self.step("other indexes"):
                for key in SHARES:
                    db.execute(f"create index on documents ({key}_declared)")
            with self.step("upkeep"):
                settle(db)
            db.execute("create function loaded() returns void language sql as 'select'")

    def open(self) -> str:
        self._db = psycopg.connect(self.place.dsn, autocommit=True, prepare_threshold=0)
        self._db.execute("set jit = off")
        # A filter removes some of the index's candidates, so the index has to return more.
        self._db.execute("set hnsw.iterative_scan = strict_order")
        self._width, recall = self.narrowest((40, 60, 80, 100, 150, 200, 300, 400), self._nearest)
        ((release,),) = self._db.execute(
            "select extversion from pg_extension where extname = 'pg_textsearch'"
        ).fetchall()
        about = f"pg_textsearch {release}, {version_of(self._db)}"
        return f"{about}, hnsw.ef_search {self._width} (recall {recall:.3f})"

    def _nearest(self, width: int, vector: Vectors) -> list[int]:
        self._db.execute(f"set hnsw.ef_search = {width}")
        return self._rows(VECTOR, {"vector": text(vector), "count": TOP}, None)

    def answer(self, mode: str, way: str, query: Query, where: Where | None) -> Answer:
        values = {"words": query.text, "vector": text(query.vector), "count": DEPTH if mode == HYBRID else TOP}
        return lambda: self._rows(mode, values, where)

    def _rows(self, mode: str, values: dict[str, Any], where: Where | None) -> list[int]:
        condition = f"and {where.column} = 0" if where else ""
        statement = STATEMENTS[mode].format(filter=condition, type=f"halfvec({DIMENSIONS})")
        return [row[0] for row in self._db.execute(statement.encode(), values)]

    def bytes_on_disk(self) -> int:
        with connect(self.place.dsn) as db:
            ((size,),) = db.execute("select pg_total_relation_size('documents')").fetchall()
        return int(size)

    def process_id(self) -> int:
        return self._db.info.backend_pid
