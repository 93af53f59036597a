create or replace function braid_store.index_next_shard(out step_count int, out warnings text[])
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_shard braid_store.vector_shards;
  v_space braid_store.collections;
begin
  step_count := 0;
  warnings := '{}';
  for v_shard in
    select s.* from braid_store.vector_shards s where s.state = 'indexing' order by random()
  loop
    begin
      continue when not braid_store.try_lock_shards(v_shard.collection_id, v_shard.tenant_id);
      select w.* into v_space
      from braid_store.collections c, braid_store.written_spaces(c) w, braid_store.vector_shards s
      where c.id = v_shard.collection_id and w.vector_space_id = v_shard.vector_space_id
        -- Another session may have had the lock until now.
        and (s.tenant_id, s.collection_id, s.vector_space_id, s.id)
            = (v_shard.tenant_id, v_shard.collection_id, v_shard.vector_space_id, v_shard.id) and s.state = 'indexing';
      continue when not found;
      -- While the index is made, which may take an hour, nothing is locked that anybody waits for: a clear retires the
      -- shard, and it does not serve.
      warnings := warnings || array_remove(array[braid_store.index_shard(v_shard)], null);
      perform braid_store.calibrate_shard(v_shard, v_space);
      if braid_store.try_lock_part(v_shard.collection_id, v_shard.tenant_id) then
        perform braid_store.serve_shard(v_shard);
      end if;
      step_count := 1;
      return;
    exception when others then
      warnings := warnings || braid_store.report_failure(v_shard.tenant_id, v_shard.collection_id, sqlstate, sqlerrm);
    end;
  end loop;
end
$$;

comment on function braid_store.index_next_shard() is
  'Makes the index of one of the shards that have been copied, and has that shard serve; of another one if that fails.';
