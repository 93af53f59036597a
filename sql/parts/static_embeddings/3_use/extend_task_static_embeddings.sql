create or replace function braid_store.extend_task_static_embeddings(task text, deadline timestamptz)
returns jsonb
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  c_batch constant int := 100;
  v_space record;
  v_tenants record;
  v_last_tenant_id int;
  v_tenant_id int;
  v_chunk_ids bigint[];
  v_count bigint := 0;
begin
  -- The second task comes after the tasks of other parts that put chunks into the outbox.
  if extend_task_static_embeddings.task not in ('embed_statically', 'embed_enqueued') then
    return '{}';
  end if;
  for v_space in
    select w as collection, e as embedder
    from braid_store.collections c,
         braid_store.written_spaces(c) w
    join braid_store.vector_spaces s on s.id = w.vector_space_id
    join braid_store.static_embedders e on e.name = s.embedding_model and e.dimensions = s.dimensions
    where not exists (
      select from braid_store.extend_spaces(c.id) p where p.vector_space_id = w.vector_space_id and p.is_paused)
    order by c.id
  loop
    v_last_tenant_id := 0;
    loop
      v_tenants := braid_store.tenants_with_rows((v_space.collection).id, v_last_tenant_id);
      v_last_tenant_id := v_tenants.last_tenant_id;
      exit when v_last_tenant_id is null;
      foreach v_tenant_id in array v_tenants.tenant_ids loop
        loop
          v_chunk_ids := array(
            select j.chunk_id from braid_store.embedding_jobs j
            where j.tenant_id = v_tenant_id and j.collection_id = (v_space.collection).id
              and j.vector_space_id = (v_space.collection).vector_space_id
            order by j.chunk_id
            limit c_batch);
          exit when v_chunk_ids = '{}' or not braid_store.try_lock_part((v_space.collection).id, v_tenant_id);
          v_count := v_count + braid_store.embed_chunks(v_tenant_id, v_space.collection, v_space.embedder, v_chunk_ids);
          perform braid_store.note_due(v_tenant_id, (v_space.collection).id);
          if clock_timestamp() > deadline or braid_store.keeps_waiting() then
            return jsonb_build_object('chunks_embedded', v_count, 'complete', false);
          end if;
        end loop;
      end loop;
    end loop;
  end loop;
  return jsonb_build_object('chunks_embedded', v_count);
end
$$;

comment on function braid_store.extend_task_static_embeddings(text, timestamptz) is
  'Embed chunks that wait for a vector of a static embedder, such as the chunks of a model change, in batches until '
  'the deadline.';
