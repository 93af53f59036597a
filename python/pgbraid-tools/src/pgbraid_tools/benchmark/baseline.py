"""Build the usual hybrid search for comparison: a table with a GIN and an HNSW index, and a function over it. The
function fuses ts_rank_cd and the distance by reciprocal rank fusion, as in Supabase's guide to hybrid search."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pgbraid.install.state import Connection
    from pgbraid_tools.benchmark.workload import Collection

__all__ = ["CALL", "Baseline", "make"]

OPERATORS = {"cosine": ("<=>", "cosine"), "inner_product": ("<#>", "ip"), "l2": ("<->", "l2")}
# pgvector cannot index vectors with more dimensions.
MOST_DIMENSIONS = 2000
MOST_DIMENSIONS_HALF = 4000
MAY = """
select coalesce(bool_and(pg_catalog.pg_has_role(c.relowner, 'usage')), false)
from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'braid_store' and c.relname in ('chunk_vectors', 'chunks')
"""
TABLE = """
create table chunks (
  id bigint primary key, content text, fts tsvector, embedding {type}({dimensions})
)
"""
FILL = """
insert into chunks
select k.id, k.content, to_tsvector({config}, k.content), e.embedding::{type}
from (
  select array_agg(c.id) as ids
  from (select c.id, row_number() over (order by c.id) / 1000 as part from braid_store.chunks c
        where c.tenant_id = %(tenant_id)s and c.collection_id = %(collection_id)s) c
  group by c.part
) p
cross join lateral unnest(p.ids) u (id)
join braid_store.chunks k on k.tenant_id = %(tenant_id)s and k.id = u.id
left join lateral ({embedding}) e on true
"""
VECTOR = """
select v.embedding from braid_store.chunk_vectors v
where v.tenant_id = %(tenant_id)s and v.collection_id = %(collection_id)s and v.vector_space_id = %(space_id)s
  and v.chunk_id = u.id
"""
SHARD_VECTOR = """
union all
select v.embedding::{schema}.vector from braid_store.vectors_{shard} v
where v.tenant_id = %(tenant_id)s and v.chunk_id = u.id
limit 1
"""
FUNCTION = """
create function hybrid_search(query_text text, query_embedding {type}({dimensions}), match_count int,
  full_text_weight float = 1, semantic_weight float = 1, rrf_k int = 50)
returns setof chunks language sql as $$
with full_text as (
  select id, row_number() over (order by ts_rank_cd(fts, websearch_to_tsquery({config}, query_text)) desc) as rank_ix
  from chunks
  where fts @@ websearch_to_tsquery({config}, query_text)
  order by rank_ix
  limit match_count * 2
), semantic as (
  select id, row_number() over (order by embedding {operator} query_embedding) as rank_ix
  from chunks
  order by rank_ix
  limit match_count * 2
)
select chunks.*
from full_text
full outer join semantic on full_text.id = semantic.id
join chunks on coalesce(full_text.id, semantic.id) = chunks.id
order by coalesce(1.0 / (rrf_k + full_text.rank_ix), 0.0) * full_text_weight
       + coalesce(1.0 / (rrf_k + semantic.rank_ix), 0.0) * semantic_weight desc
limit match_count
$$
"""
CALL = "select id, content from hybrid_search(%(text)s, %(vector)s, %(count)s)"


@dataclass(frozen=True)
class Baseline:
    """Hold a copy of a collection. `search_path` is needed by its sessions; `seconds` and `bytes` are the cost of the
    copy."""

    search_path: str
    seconds: float
    bytes: int


def refused(connection: Connection, collection: Collection) -> str | None:
    """Return the reason why no copy can be made; None if it can."""
    row = connection.execute(MAY).fetchone()
    if not row or not row[0]:
        return "the login lacks the rights of the tables' owner, which the copy needs"
    if collection.dimensions > MOST_DIMENSIONS_HALF:
        return f"pgvector indexes no vectors of {collection.dimensions} dimensions"
    return None


def make(connection: Connection, schema: str, collection: Collection, seconds: float) -> Baseline:
    """Copy the tenant's chunks of the collection into the schema, with indexes and the function. A statement that takes
    longer than `seconds` is cancelled."""
    import psycopg
    from psycopg import sql

    begun = time.monotonic()
    row = connection.execute(
        "select n.nspname, c.id, c.vector_space_id, braid.current_tenant_id(),"
        " (select s.id from braid_store.vector_shards s where s.tenant_id = braid.current_tenant_id()"
        "  and s.collection_id = c.id and s.vector_space_id = c.vector_space_id and s.state = 'serving')"
        " from braid_store.collections c, pg_catalog.pg_extension e"
        " join pg_catalog.pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector' and c.name = %s",
        (collection.name,),
    ).fetchone()
    assert row is not None
    vector_schema, collection_id, space_id, tenant_id, shard = row
    operator, kind = OPERATORS[collection.distance]
    name = "vector" if collection.dimensions <= MOST_DIMENSIONS else "halfvec"
    parts = {
        "type": sql.Identifier(vector_schema, name),
        "dimensions": sql.Literal(collection.dimensions),
        "config": sql.Literal(collection.text_config) + sql.SQL("::regconfig"),
        "operator": sql.SQL(operator),
    }
    embedding: sql.Composable = sql.SQL(VECTOR)
    if shard is not None:
        # A row in chunk_vectors overrides the shard's vector of the same chunk.
        places = {"schema": sql.Identifier(vector_schema), "shard": sql.Literal(shard)}
        embedding = embedding + sql.SQL(SHARD_VECTOR).format(**places)
    search_path = sql.SQL(", ").join([sql.Identifier(schema), sql.Identifier(vector_schema)]).as_string(connection)
    values = {"tenant_id": tenant_id, "collection_id": collection_id, "space_id": space_id}
    try:
        connection.execute(f"set search_path = {search_path}")
        connection.execute(f"set statement_timeout = '{max(1, round(seconds * 1000))}ms'")
        connection.execute("set maintenance_work_mem = '512MB'")
        connection.execute("set enable_seqscan = off")
        connection.execute(sql.SQL(TABLE).format(**parts))
        connection.execute(sql.SQL(FILL).format(embedding=embedding, **parts), values)
        connection.execute("create index on chunks using gin (fts)")
        connection.execute(
            sql.SQL("create index on chunks using hnsw (embedding {})").format(
                sql.Identifier(vector_schema, f"{name}_{kind}_ops")
            )
        )
        connection.execute("vacuum analyze chunks")
        connection.execute(sql.SQL(FUNCTION).format(**parts))
        size = connection.execute("select pg_catalog.pg_total_relation_size('chunks'::regclass)").fetchone()
    finally:
        for setting in ("search_path", "statement_timeout", "maintenance_work_mem", "enable_seqscan"):
            # Ctrl-C may have interrupted a statement, and then this would fail.
            if connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE:
                connection.execute(f"reset {setting}")
    assert size is not None
    return Baseline(search_path, time.monotonic() - begun, size[0])
