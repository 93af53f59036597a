create or replace function braid_store.enqueue_for_new_model(
  deadline timestamptz,
  out chunk_count bigint,
  out is_complete boolean
)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_change braid_store.model_changes;
  v_space braid_store.collections;
  v_tenants record;
  v_tenant_id int;
  v_batch record;
begin
  chunk_count := 0;
  is_complete := true;
  for v_change in
    select m.* from braid_store.model_changes m
    where m.state = 'filling' and not m.is_enqueued
    order by m.collection_id
    for update skip locked
  loop
    if v_change.reached_tenant_id = 0 then
      -- A pass misses no chunk if it begins after all writers that do not know of the model change. The start waited
      -- for the writers at work then, and no older snapshot may be left that could write.
      continue when v_change.is_last_pass is not null
                    and braid_store.has_older_snapshots(v_change.started_by);
      v_change.is_last_pass := not braid_store.has_older_snapshots(v_change.started_by);
    end if;
    select c.* into strict v_space from braid_store.collections c where c.id = v_change.collection_id;
    v_space.vector_space_id := v_change.to_space_id;

    <<tenants>>
    loop
      -- Begin with the tenant reached last, because some of its chunks may be left.
      v_tenants := braid_store.tenants_with_rows(v_change.collection_id, v_change.reached_tenant_id - 1);
      exit when v_tenants.last_tenant_id is null;
      foreach v_tenant_id in array v_tenants.tenant_ids loop
        if v_tenant_id <> v_change.reached_tenant_id then
          v_change.reached_tenant_id := v_tenant_id;
          v_change.reached_chunk_id := -9223372036854775808;
        end if;
        -- A part that is being cleared must not get new jobs.
        if not braid_store.try_lock_part(v_space.id, v_tenant_id) then
          v_change.is_last_pass := false;
          continue;
        end if;
        loop
          v_batch := braid_store.enqueue_chunks(v_tenant_id, v_space, v_change.reached_chunk_id);
          chunk_count := chunk_count + v_batch.chunk_count;
          v_change.is_last_pass := v_change.is_last_pass and not v_batch.has_skipped;
          exit when v_batch.last_id is null;
          v_change.reached_chunk_id := v_batch.last_id;
          -- Check the time after a batch, so that each call does at least one batch, however little time merges leave.
          exit tenants when clock_timestamp() > deadline;
        end loop;
      end loop;
      v_change.reached_tenant_id := v_tenants.last_tenant_id + 1;
      v_change.reached_chunk_id := -9223372036854775808;
      exit when clock_timestamp() > deadline;
    end loop;
    if v_tenants.last_tenant_id is not null then
      is_complete := false;
      update braid_store.model_changes m
      set reached_tenant_id = v_change.reached_tenant_id, reached_chunk_id = v_change.reached_chunk_id,
          is_last_pass = v_change.is_last_pass
      where m.collection_id = v_change.collection_id;
      exit;
    end if;

    update braid_store.model_changes m
    set reached_tenant_id = 0, reached_chunk_id = -9223372036854775808, is_last_pass = v_change.is_last_pass,
        is_enqueued = v_change.is_last_pass
    where m.collection_id = v_change.collection_id;
  end loop;
end
$$;

comment on function braid_store.enqueue_for_new_model(timestamptz) is
  'Put chunks written before a model change began into the outbox of the new vector space, for every tenant, in '
  'batches until the deadline. Repeat the pass over all tenants until it misses no chunk. chunk_count: the number of '
  'chunks put in. is_complete: whether nothing more is left to do now.';
