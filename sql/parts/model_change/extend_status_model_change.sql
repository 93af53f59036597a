create or replace function braid_store.extend_status_model_change(tenant_id int, collection_id int)
returns jsonb
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
declare
  v_change braid_store.model_changes;
  v_spaces braid_store.collections[];
  v_shadow braid_store.collections;
  v_new braid_store.collections;
  v_shard_id int;
  v_in_shard bigint := 0;
  v_progress jsonb;
begin
  select m.* into v_change
  from braid_store.model_changes m
  where m.collection_id = extend_status_model_change.collection_id;
  if not found then
    return '{"model_change": null}';
  end if;
  select array_agg(w) into v_spaces
  from braid_store.collections c, braid_store.written_spaces(c) w
  where c.id = extend_status_model_change.collection_id;
  v_shadow := v_spaces[2];
  v_new := v_spaces[case v_change.state when 'cut_over' then 1 else 2 end];
  v_shard_id := (braid_store.serving_shard(tenant_id, v_new)).id;
  if v_shard_id is not null then
    execute format('select count(*) from braid_store.vectors_%s v where v.tenant_id = $1', v_shard_id)
    into v_in_shard using tenant_id;
  end if;

  select jsonb_build_object(
           'state', v_change.state,
           'from_model', f.embedding_model, 'from_dimensions', f.dimensions,
           'to_model', t.embedding_model, 'to_dimensions', t.dimensions,
           -- The count is exact once every chunk has a vector or a job. A shard may hold vectors of deleted chunks.
           'embedded_chunks', least(
             v_in_shard + (select count(*) from braid_store.chunk_vectors v
                           where v.tenant_id = extend_status_model_change.tenant_id and v.collection_id = v_new.id
                             and v.vector_space_id = v_new.vector_space_id),
             (select count(*) from braid_store.chunks c
              where c.tenant_id = extend_status_model_change.tenant_id and c.collection_id = v_new.id)
             - (select count(*) from braid_store.embedding_jobs j
                where j.tenant_id = extend_status_model_change.tenant_id and j.collection_id = v_new.id
                  and j.vector_space_id = v_new.vector_space_id)),
           'pending_embeddings', count(j), 'failed_embeddings', count(j.last_error))
  into v_progress
  from braid_store.vector_spaces f
  cross join braid_store.vector_spaces t
  left join braid_store.embedding_jobs j
    on j.tenant_id = extend_status_model_change.tenant_id and j.collection_id = v_shadow.id
    and j.vector_space_id = v_shadow.vector_space_id
  where f.id = v_change.from_space_id and t.id = v_change.to_space_id
  group by f.id, t.id;
  return jsonb_build_object('model_change', v_progress);
end
$$;

comment on function braid_store.extend_status_model_change(int, int) is
  'Return the progress of the model change for a tenant''s part of a collection. It counts chunks with a vector of '
  'the new model, and chunks that wait for one in the space that searches do not read.';
