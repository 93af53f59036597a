create or replace function braid_store.part_sizes()
returns table (
  tenant_id int,
  collection_id int,
  chunk_count bigint,
  token_count bigint,
  vector_count bigint,
  index_byte_count bigint,
  byte_count bigint
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  -- Keys and index entries of a chunk take about as much space as this many of its tokens.
  c_tokens_of_chunk constant int := 30;
  v_bytes bigint;
  v_vector_bytes bigint;
begin
  select coalesce(sum(pg_total_relation_size(c.oid)) filter (where c.name <> 'chunk_vectors'), 0),
         coalesce(sum(pg_total_relation_size(c.oid)) filter (where c.name = 'chunk_vectors'), 0)
  into v_bytes, v_vector_bytes
  from braid_store.stored_tables() c
  where c.name = any (braid_store.collection_tables());
  return query
  with parts as (
    select s.tenant_id, s.collection_id, sum(s.chunk_count)::bigint as chunk_count,
           sum(s.body_length + s.title_length)::bigint as token_count
    from braid_store.segments s
    where s.collection_id > 0 -- Segments of sparse terms have the id negated.
    group by s.tenant_id, s.collection_id
  ), shards as (
    select v.tenant_id, v.collection_id, coalesce(sum(v.vector_count) filter (where v.state = 'serving'),
      0)::bigint as vector_count,
           sum(pg_indexes_size(r.shard))::bigint as index_byte_count,
             sum(pg_total_relation_size(r.shard))::bigint as byte_count
    from braid_store.vector_shards v
    cross join lateral (select to_regclass(format('braid_store.vectors_%s', v.id)) as shard) r
    -- Reading the size of a shard that is being dropped would wait for the drop.
    where v.state <> 'retired'
    group by v.tenant_id, v.collection_id
  ), weighed as (
    select p.tenant_id, p.collection_id, p.chunk_count, p.token_count, coalesce(s.vector_count, 0) as vector_count,
           coalesce(s.index_byte_count, 0) as index_byte_count, coalesce(s.byte_count, 0) as shard_byte_count,
           p.token_count + c_tokens_of_chunk * p.chunk_count as weight,
           -- The number of chunks outside shards approximates the number of vectors there; it includes chunks without a
           -- vector.
           greatest(p.chunk_count - coalesce(s.vector_count, 0), 0) as vector_weight
    from parts p
    left join shards s on s.tenant_id = p.tenant_id and s.collection_id = p.collection_id
  )
  select w.tenant_id, w.collection_id, w.chunk_count, w.token_count, w.vector_count, w.index_byte_count,
         -- Use numeric: as bigints, the products overflow in a database of 15 GB.
         (coalesce(v_bytes::numeric * w.weight / nullif(sum(w.weight) over (), 0), 0)
          + coalesce(v_vector_bytes::numeric * w.vector_weight / nullif(sum(w.vector_weight) over (), 0), 0)
          + w.shard_byte_count)::bigint
  from weighed w;
end
$$;

comment on function braid_store.part_sizes() is
  E'Return the size of each tenant''s part of a collection.\n'
  'byte_count is the size of its vector shards and its share of the tables that all tenants share. The share goes by '
  'tokens and chunks; for chunk_vectors it goes by chunks outside shards. The function reads segments, not chunks.';
