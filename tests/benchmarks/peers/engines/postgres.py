"""Run PostgreSQL and pgvector without pgbraid: one table with a GIN and an HNSW index, by a login without policies.

The guide's function comes from Supabase's page on hybrid search. The way `by hand` is what someone writes who knows
that an index serves only `order by … limit`.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

import psycopg
from psycopg.conninfo import make_conninfo

from benchmarks.peers.corpora import SHARES, Query, attributes
from benchmarks.peers.engine import FULL_TEXT, HYBRID, TOP, VECTOR, Answer, Engine, Ways, Where
from benchmarks.peers.engines.databases import Connection, connect, create_database, database_size, settle, version
from benchmarks.semantic.corpus import DIMENSIONS, Vectors, text

COLUMNS = [f"{key}{suffix}" for key in SHARES for suffix in ("", "_declared")]
TABLE = f"""
create extension if not exists vector;
create table documents (
  id bigint primary key, content text, fts tsvector generated always as (to_tsvector('simple', content)) stored,
  {", ".join(f"{column} int" for column in COLUMNS)}, embedding vector({DIMENSIONS})
)
"""
# The function follows Supabase's guide, except for the text configuration and the distance: <=> as everywhere here,
# instead of <#>.
GUIDE = f"""
create function hybrid_search(query_text text, query_embedding vector({DIMENSIONS}), match_count int,
  full_text_weight float = 1, semantic_weight float = 1, rrf_k int = 50)
returns setof documents language sql as $$
with full_text as (
  select id, row_number() over (order by ts_rank_cd(fts, websearch_to_tsquery('simple', query_text)) desc) as rank_ix
  from documents
  where fts @@ websearch_to_tsquery('simple', query_text)
  order by rank_ix
  limit least(match_count, 30) * 2
), semantic as (
  select id, row_number() over (order by embedding <=> query_embedding) as rank_ix
  from documents
  order by rank_ix
  limit least(match_count, 30) * 2
)
select documents.*
from full_text full outer join semantic on full_text.id = semantic.id
join documents on coalesce(full_text.id, semantic.id) = documents.id
order by coalesce(1.0 / (rrf_k + full_text.rank_ix), 0.0) * full_text_weight
       + coalesce(1.0 / (rrf_k + semantic.rank_ix), 0.0) * semantic_weight desc
limit least(match_count, 30)
$$
"""
CALL_GUIDE = "select id from hybrid_search(%(words)s, %(vector)s, %(count)s)"
BY_HAND = """
with full_text as (
  select id, row_number() over (order by rank desc) as place
  from (
    select id, ts_rank_cd(fts, query) as rank from documents, websearch_to_tsquery('simple', %(words)s) query
    where fts @@ query {filter} order by rank desc limit 20
  ) t
), semantic as (
  select id, row_number() over (order by distance) as place
  from (
    select id, embedding <=> %(vector)s as distance from documents where true {filter}
    order by embedding <=> %(vector)s limit 20
  ) t
)
select coalesce(f.id, s.id) as id
from full_text f full join semantic s on s.id = f.id
order by coalesce(1.0 / (60 + f.place), 0) + coalesce(1.0 / (60 + s.place), 0) desc
limit %(count)s
"""
RANK = """
select id from documents, websearch_to_tsquery('simple', %(words)s) query
where fts @@ query {filter} order by ts_rank_cd(fts, query) desc limit %(count)s
"""
NEAREST = "select id from documents where true {filter} order by embedding <=> %(vector)s limit %(count)s"
GUIDE_ALL, GUIDE_ANY = "Supabase's guide, all words", "Supabase's guide, any word"
HAND_ANY, RANK_ANY, PGVECTOR = "GIN + HNSW by hand, any word", "ts_rank_cd over GIN", "pgvector HNSW"
STATEMENTS = {GUIDE_ALL: CALL_GUIDE, GUIDE_ANY: CALL_GUIDE, HAND_ANY: BY_HAND, RANK_ANY: RANK, PGVECTOR: NEAREST}


def database_name(corpus: str) -> str:
    return f"peers_{corpus}"


class Postgres(Engine):
    ways: ClassVar[Ways] = {HYBRID: (GUIDE_ALL, GUIDE_ANY, HAND_ANY), FULL_TEXT: (RANK_ANY,), VECTOR: (PGVECTOR,)}
    filtered = (HYBRID, FULL_TEXT, VECTOR)

    @property
    def _dsn(self) -> str:
        return make_conninfo(self.place.dsn, dbname=database_name(self.corpus.name))

    def is_loaded(self) -> bool:
        if create_database(self.place.dsn, database_name(self.corpus.name)):
            return False
        with connect(self._dsn) as db:
            row = db.execute("select to_regprocedure('loaded()') is not null").fetchone()
        assert row is not None
        return bool(row[0])

    def load(self) -> None:
        with connect(self._dsn) as db:
            db.execute("drop table if exists documents cascade")
            db.execute(TABLE.encode())
            db.execute("set maintenance_work_mem = '1GB'")
            with self.step("rows"):
                self._copy(db)
            with self.step("text index"):
                db.execute("create index on documents using gin (fts)")
            if self.corpus.has_vectors:
                with self.step("vector index"):
                    db.execute("create index on documents using hnsw (embedding vector_cosine_ops)")
            with self.step("other indexes"):
                for key in SHARES:
                    db.execute(f"create index on documents ({key}_declared)")
            with self.step("upkeep"):
                settle(db)
            db.execute(GUIDE.encode())
            db.execute("create function loaded() returns void language sql as 'select'")

    def _copy(self, db: Connection) -> None:
        names = ["id", "content", *COLUMNS]
        vectors = self.corpus.vectors if self.corpus.has_vectors else None
        if vectors is not None:
            names.append("embedding")
        with db.cursor().copy(f"copy documents ({', '.join(names)}) from stdin") as copy:
            for number, content in enumerate(self.corpus.texts()):
                row: list[Any] = [number, content, *(attributes(number)[column] for column in COLUMNS)]
                copy.write_row(row if vectors is None else [*row, text(vectors[number])])

    def open(self) -> str:
        self._db = psycopg.connect(self._dsn, autocommit=True, prepare_threshold=0)
        # A filter removes some of the index's candidates, so the index has to return more.
        self._db.execute("set hnsw.iterative_scan = strict_order")
        about = version(self._db)
        if self.corpus.has_vectors:
            self._width, recall = self.narrowest((40, 60, 80, 100, 150, 200, 300, 400), self._nearest)
            about += f", hnsw.ef_search {self._width} (recall {recall:.3f})"
        return about

    def _nearest(self, width: int, vector: Vectors) -> list[int]:
        self._db.execute(f"set hnsw.ef_search = {width}")
        values = {"vector": text(vector), "count": TOP}
        return [row[0] for row in self._db.execute(_typed(NEAREST.format(filter="")), values)]

    @cached_property
    def _comparing(self) -> Connection:
        """Return a connection for exact searches, which read all vectors and must not add to the measured memory."""
        db = psycopg.connect(self._dsn, autocommit=True, prepare_threshold=0)
        db.execute("set enable_indexscan = off")
        return db

    def answer(self, mode: str, way: str, query: Query, where: Where | None) -> Answer:
        return _answer(self._db, way, query, where)

    def exact(self, mode: str, way: str, query: Query, where: Where | None) -> list[int]:
        return _answer(self._comparing, way, query, where)()

    def bytes_on_disk(self) -> int:
        return database_size(self.place.dsn, database_name(self.corpus.name))

    def process_id(self) -> int:
        return self._db.info.backend_pid


def _answer(db: Connection, way: str, query: Query, where: Where | None) -> Answer:
    statement = _typed(STATEMENTS[way].format(filter=f"and {where.column} = 0" if where else ""))
    values = {
        "words": query.text if way == GUIDE_ALL else " or ".join(f'"{word}"' for word in query.text.split()),
        "vector": text(query.vector),
        "count": TOP,
    }
    return lambda: [row[0] for row in db.execute(statement, values)]


def _typed(statement: str) -> str:
    return statement.replace("%(vector)s", "%(vector)s::vector")
