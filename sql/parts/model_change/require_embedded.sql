create or replace function braid_store.require_embedded(change braid_store.model_changes)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_old braid_store.collections;
  v_new braid_store.collections;
  v_tenant_id int;
  v_chunk_ids bigint[];
  v_waiting bigint := 0;
  v_tenant_count int := 0;
begin
  select c.* into strict v_old from braid_store.collections c where c.id = change.collection_id;
  v_new := v_old;
  v_new.vector_space_id := change.to_space_id;
  if not change.is_enqueued then
    raise exception 'not all chunks of collection "%" are in the outbox of the new model yet', v_old.name
      using errcode = '22023',
            hint = 'Resume the model change if it is paused. Call braid.maintain() until braid.model_changes shows '
                   'is_enqueued; this also waits for transactions that began before the model change.';
  end if;

  -- A chunk without a vector of the new model has a job, so reading the jobs is enough.
  for v_tenant_id in
    select t.id
    from braid_store.tenants t
    where exists (
      select from braid_store.embedding_jobs j
      where j.tenant_id = t.id and j.collection_id = change.collection_id and j.vector_space_id = change.to_space_id
      offset 0)
  loop
    v_chunk_ids := braid_store.unembedded(v_tenant_id, v_new, array(
      select j.chunk_id from braid_store.embedding_jobs j
      where j.tenant_id = v_tenant_id and j.collection_id = change.collection_id
        and j.vector_space_id = change.to_space_id));
    -- Searches do not find a chunk without a vector of the old model now, either.
    if cardinality(v_chunk_ids) > cardinality(braid_store.unembedded(v_tenant_id, v_old, v_chunk_ids)) then
      v_waiting := v_waiting + cardinality(v_chunk_ids)
                   - cardinality(braid_store.unembedded(v_tenant_id, v_old, v_chunk_ids));
      v_tenant_count := v_tenant_count + 1;
    end if;
  end loop;
  if v_waiting > 0 then
    raise exception '% chunks of % tenants of collection "%" wait for an embedding of the new model', v_waiting,
                    v_tenant_count, v_old.name
      using errcode = '22023',
            hint = 'Run workers for the new model until the chunks are embedded, then call again. braid.status '
                   'shows how many chunks of a tenant failed.';
  end if;
end
$$;

comment on function braid_store.require_embedded(braid_store.model_changes) is
  'Raise 22023 if a chunk has a vector of the old model but none of the new model.';
