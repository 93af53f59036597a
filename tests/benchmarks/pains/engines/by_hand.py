"""Run PostgreSQL and pgvector as by hand: Supabase's guides, one table, a GIN and an HNSW index, policies by tenant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import psycopg
from psycopg.conninfo import make_conninfo

from benchmarks.pains.engine import FULL_TEXT, HYBRID, INDEXED, RERANKED, Document, Engine, Hit, Query
from benchmarks.pains.place import Place
from benchmarks.peers.engines.databases import connect, create_database, version

DATABASE, READER = "pains_by_hand", "pains_by_hand_reader"
# The function follows Supabase's guide to hybrid search, except for the distance <=>. It returns the score, too.
TABLE = """
drop table if exists {name} cascade;
create table {name} (
  id text primary key, document text, content text, kind text, tenant text, reader text,
  fts tsvector generated always as (to_tsvector('{language}', content)) stored, embedding vector({dimensions})
);
alter table {name} enable row level security;
create policy own_rows on {name} for select using (tenant = current_setting('app.tenant', true)
  and (reader = '' or reader = any (string_to_array(current_setting('app.groups', true), ','))));
grant select on {name} to {reader};
create or replace function search_{name}(query_text text, query_embedding vector({dimensions}), match_count int,
  full_text_weight float = 1, semantic_weight float = 1, rrf_k int = 50)
returns table (document text, content text, score float) language sql as $$
with full_text as (
  select id, row_number() over (order by ts_rank_cd(fts, websearch_to_tsquery('{language}', query_text)) desc)
    as rank_ix
  from {name}
  where fts @@ websearch_to_tsquery('{language}', query_text)
  order by rank_ix
  limit least(match_count, 30) * 2
), semantic as (
  select id, row_number() over (order by embedding <=> query_embedding) as rank_ix
  from {name}
  order by rank_ix
  limit least(match_count, 30) * 2
)
select t.document, t.content, coalesce(1.0 / (rrf_k + full_text.rank_ix), 0.0) * full_text_weight
  + coalesce(1.0 / (rrf_k + semantic.rank_ix), 0.0) * semantic_weight
from full_text full outer join semantic on full_text.id = semantic.id
join {name} t on coalesce(full_text.id, semantic.id) = t.id
order by 3 desc
limit least(match_count, 30)
$$
"""
RANK = """
select document, content, ts_rank_cd(fts, query) from {name}, websearch_to_tsquery('{language}', %(text)s) query
where fts @@ query {filter} order by 3 desc limit %(count)s
"""
NEAREST = """
select document, content, 1 - (embedding <=> %(vector)s::vector) from {name} where true {filter}
order by embedding <=> %(vector)s::vector limit %(count)s
"""
GUIDE = "select * from search_{name}(%(text)s, %(vector)s::vector, %(count)s)"
WRITE = """
insert into {name} (id, document, content, kind, tenant, reader, embedding) values (%s, %s, %s, %s, %s, %s, %s)
on conflict (id) do update set content = excluded.content, kind = excluded.kind, embedding = excluded.embedding
"""


class ByHand(Engine):
    def __init__(self, place: Place) -> None:
        create_database(place.dsn, DATABASE)
        dsn = make_conninfo(place.dsn, dbname=DATABASE)
        self._db = connect(dsn)
        self._db.execute("create extension if not exists vector")
        self._db.execute(
            f"do $$ begin create role {READER} login; exception when duplicate_object then null; end $$".encode()
        )
        self._reader = psycopg.connect(make_conninfo(dsn, user=READER), autocommit=True)
        self._languages: dict[str, str] = {}
        self._change: tuple[str, list[tuple[str, Any]]] = ("", [])

    def about(self) -> str:
        return version(self._db)

    def create(self, collection: str, dimensions: int, language: str) -> None:
        self._languages[collection] = language
        self._db.execute(
            TABLE.format(name=collection, language=language, dimensions=dimensions, reader=READER).encode()
        )

    def write(self, collection: str, documents: Sequence[Document], tenant: str | None) -> None:
        rows = [
            (key, document.id, text, document.kind, tenant or "", document.reader, str(vector))
            for document in documents
            for key, text, vector in document.rows()
        ]
        with self._db.transaction(), self._db.cursor() as cursor:
            cursor.executemany(WRITE.format(name=collection).encode(), rows)

    def settle(self, collection: str) -> None:
        counted = self._db.execute(f"select count(*) from {collection}".encode()).fetchone()
        assert counted is not None
        indexes = ["gin (fts)", "btree (kind)", "btree (tenant)", "btree (reader)"]
        if counted[0] >= INDEXED:
            indexes.append("hnsw (embedding vector_cosine_ops)")
        for number, index in enumerate(indexes):
            self._db.execute(f"create index if not exists {collection}_{number} on {collection} using {index}".encode())
        self._db.execute(f"vacuum analyze {collection}".encode())

    def delete(self, collection: str, documents: Sequence[Document]) -> None:
        keys = [key for document in documents for key, _, _ in document.rows()]
        self._db.execute(f"delete from {collection} where id = any(%s)".encode(), (keys,))

    def search(self, collection: str, query: Query) -> list[Hit]:
        statement = {HYBRID: GUIDE, FULL_TEXT: RANK}.get(query.mode, NEAREST)
        condition = "and kind = %(kind)s" if query.kind else ""
        values = {"text": query.text, "vector": str(query.vector), "kind": query.kind, "count": query.count}
        if query.reranked:
            values["count"] = RERANKED
        db = self._db
        if query.tenant is not None or query.groups:
            # The policy restricts each statement of this login, whatever the statement says.
            db = self._reader
            db.execute(
                "select set_config('app.tenant', %s, false), set_config('app.groups', %s, false)",
                (query.tenant or "", ",".join(query.groups)),
            )
        named = statement.format(name=collection, language=self._languages[collection], filter=condition)
        hits = [Hit(*row) for row in db.execute(named.encode(), values)]
        if query.reranked:
            hits.sort(key=lambda hit: -query.reranked.get(hit.text, float("-inf")))
        return hits[: query.count]

    def begin_change(self, collection: str, documents: Sequence[Document]) -> None:
        self._change = (collection, [(key, vector) for document in documents for key, _, vector in document.rows()])

    def continue_change(self, count: int) -> int:
        collection, left = self._change
        for key, vector in left[:count]:
            self._db.execute(f"update {collection} set embedding = %s where id = %s".encode(), (str(vector), key))
        self._change = (collection, left[count:])
        return len(left[:count])

    def finish_change(self) -> None:
        pass
