create or replace function braid_store.next_shard_step(
  tenant_id int,
  collection braid_store.collections,
  out step text,
  out moving braid_store.vector_shards,
  out serving braid_store.vector_shards
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_collection braid_store.collections := next_shard_step.collection;
  v_limit int := (select braid_store.exact_limit(s.dimensions) from braid_store.vector_spaces s
                  where s.id = v_collection.vector_space_id);
  v_written int;
  v_served int;
begin
  select s.* into moving from braid_store.vector_shards s
  where s.tenant_id = next_shard_step.tenant_id and s.collection_id = v_collection.id
    and s.vector_space_id = v_collection.vector_space_id and s.state in ('copying', 'indexing');
  select s.* into serving from braid_store.vector_shards s
  where s.tenant_id = next_shard_step.tenant_id and s.collection_id = v_collection.id
    and s.vector_space_id = v_collection.vector_space_id and s.state = 'serving';
  if moving.id is not null then
    step := case moving.state when 'copying' then 'copy' else 'index' end;
    return;
  elsif serving.forgotten_chunk_id < serving.copied_chunk_id then
    step := 'forget';
    return;
  end if;

  v_written := (
    select count(*)
    from (
      select from braid_store.chunk_vectors v
      where v.tenant_id = next_shard_step.tenant_id and v.collection_id = v_collection.id
        and v.vector_space_id = v_collection.vector_space_id
      limit greatest(v_limit, 1001, serving.vector_count / 5 + 1)
    ) v);
  if serving.id is null then
    step := case when v_written >= v_limit then 'create' end;
    return;
  end if;
  execute format('select count(*) from (select from braid_store.vectors_%s where tenant_id = $1 limit $2) v',
    serving.id)
  into v_served
  using next_shard_step.tenant_id, v_limit;
  step := case
    when v_served + v_written < v_limit / 2 then 'give_back'
    when serving.is_outdated
         or (serving.storage, serving.hnsw_m, serving.hnsw_ef_construction)
            <> (v_collection.vector_storage, v_collection.hnsw_m, v_collection.hnsw_ef_construction)
         or not (braid_store.serving_shard(next_shard_step.tenant_id, v_collection)).is_indexed
         -- Building a new index is faster than adding many vectors one by one.
         or v_written > greatest(1000, serving.vector_count / 5)
      then 'create'
    when v_written > 0 then 'absorb'
  end;
end
$$;

comment on function braid_store.next_shard_step(int, braid_store.collections) is
  'Return the next step of maintenance for a tenant''s vectors in a collection; null if all vectors are where they '
  'belong. create: make a new shard. copy, index: continue with the shard that is being built (moving). forget, '
  'absorb, give_back: move vectors of the shard that serves (serving); see forget_copied, absorb_vectors and '
  'give_back_vectors.';
