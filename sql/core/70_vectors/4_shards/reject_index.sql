create or replace function braid_store.reject_index(shard braid_store.vector_shards)
returns boolean
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  -- With l2, vectors may differ only beyond the 11 bits of halfvec, so the index cannot tell them apart.
  -- choose_ef_search accepts an index recall below 0.985 if wider searches find no more. This function does not,
  -- because an index over the stored type may find more.
  update braid_store.vector_shards s
  set index_type = 'vector'
  where s.tenant_id = shard.tenant_id and s.collection_id = shard.collection_id
    and s.vector_space_id = shard.vector_space_id and s.id = shard.id
    and s.state = 'indexing' and s.index_type = 'halfvec' and (s.ef_search is null or s.index_recall < 0.985);
  if not found then
    return false;
  end if;
  execute format('drop index braid_store.vectors_%s_hnsw', shard.id);
  return true;
end
$$;

comment on function braid_store.reject_index(braid_store.vector_shards) is
  'Drop a shard''s HNSW index over halfvec if calibrate_shard has found that it is not good enough. The next index '
  'is then built over the stored type. Return whether the index was dropped.';
