-- role: service, monitor
-- tenants: all
create or replace function braid_store.list_index_health()
returns table (
  tenant text,
  collection text,
  segment_count bigint,
  chunk_count bigint,
  dead_chunk_count bigint,
  dead_share float8,
  waiting_chunk_count bigint,
  shard int,
  embedding_model text,
  vector_count bigint,
  is_indexed boolean,
  ef_search int,
  index_recall_10 float8,
  index_recall_10_error float8,
  index_recall_100 float8,
  index_recall_100_error float8,
  measured_at timestamptz
)
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
-- In a nested loop, the planner, which expects few parts and few shards, would scan all shards for each part.
set enable_nestloop = off
as $$
#variable_conflict use_column
begin
  return query
  select t.key, c.name, g.segment_count, g.chunk_count, coalesce(b.chunk_count, 0),
         coalesce(b.chunk_count::float8 / nullif(g.chunk_count + b.chunk_count, 0), 0), coalesce(j.chunk_count, 0),
         v.id, s.embedding_model, v.vector_count, v.is_indexed, v.ef_search,
         coalesce((v.measurement ->> 'index_recall_10')::float8, v.index_recall),
         (v.measurement ->> 'error_10')::float8,
         (v.measurement ->> 'index_recall_100')::float8, (v.measurement ->> 'error_100')::float8,
         coalesce((v.measurement ->> 'measured_at')::timestamptz, v.served_at)
  from (
    select s.tenant_id, s.collection_id, count(*) as segment_count, sum(s.chunk_count)::bigint as chunk_count
    from braid_store.segments s
    group by s.tenant_id, s.collection_id
  ) g
  join braid_store.tenants t on t.id = g.tenant_id
  join braid_store.collections c on c.id = g.collection_id
  left join (
    select b.tenant_id, b.collection_id, count(*) as chunk_count
    from braid_store.tombstones b
    group by b.tenant_id, b.collection_id
  ) b on b.tenant_id = g.tenant_id and b.collection_id = g.collection_id
  left join (
    select j.tenant_id, j.collection_id, count(*) as chunk_count
    from braid_store.embedding_jobs j
    where j.claimed_until is distinct from 'infinity'
    group by j.tenant_id, j.collection_id
  ) j on j.tenant_id = g.tenant_id and j.collection_id = g.collection_id
  left join (
    select v.*, coalesce(i.indisvalid and i.indisready, false) as is_indexed
    from braid_store.vector_shards v
    left join pg_index i on i.indexrelid = to_regclass(format('braid_store.vectors_%s_hnsw', v.id))
    where v.state = 'serving'
  ) v on v.tenant_id = g.tenant_id and v.collection_id = g.collection_id
  left join braid_store.vector_spaces s on s.id = v.vector_space_id;
end
$$;

comment on function braid_store.list_index_health() is
  'Do the work of the view braid.index_health.';
