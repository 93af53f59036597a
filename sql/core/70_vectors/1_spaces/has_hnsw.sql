create or replace function braid_store.has_hnsw(shard_id int)
returns boolean
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(
    (select i.indisvalid and i.indisready from pg_index i
     where i.indexrelid = to_regclass(format('braid_store.vectors_%s_hnsw', has_hnsw.shard_id))::oid), false);
$$;

comment on function braid_store.has_hnsw(int) is
  'Tell whether a vector shard has an HNSW index that can be used.';
