create or replace function braid_store.maintain_part(
  tenant_id int,
  collection braid_store.collections,
  deadline timestamptz,
  is_bounded boolean,
  out merges int,
  out segments int,
  out step_count int,
  out listed_count int,
  out is_complete boolean,
  out seconds_needed int,
  out next_visit timestamptz,
  out warning text
)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_steps constant text[] := '{create,copy}';
  c_most_absorbed constant int := 1024; -- sparse rows at a time
  v_next_steps text[];
  v_needs_merges boolean;
  v_needs_sparse boolean;
  v_needs_lists boolean;
  v_needs_centroid boolean;
  v_has_shard boolean;
  v_spaces braid_store.collections[] := array(select w from braid_store.written_spaces(collection) w);
  v_space braid_store.collections;
  v_sparse braid_store.collections := collection; -- the index of sparse terms
  v_moved record;
  v_merged record;
  v_listed record;
begin
  v_sparse.id := -collection.id;
  merges := 0;
  segments := 0;
  step_count := 0;
  listed_count := 0;
  is_complete := true;
  v_next_steps := array(
    select (braid_store.next_shard_step(tenant_id, w)).step from unnest(v_spaces) w);
  v_needs_merges := braid_store.segments_to_merge(tenant_id, collection) is not null;
  v_needs_sparse := braid_store.has_due_sparse_rows(tenant_id, collection.id);
  v_needs_lists := braid_store.has_due_lists(tenant_id, collection.id);
  select bool_or(d.is_due), min(d.due_at) into v_needs_centroid, next_visit
  from unnest(v_spaces) w, braid_store.due_centroid(tenant_id, w) d;
  v_has_shard := exists (
    select from unnest(v_spaces) w where (braid_store.serving_shard(tenant_id, w)).id is not null);
  -- Nobody notes the loss of a shard's index, so visit a part with a shard every day.
  next_visit := least(next_visit, case when v_has_shard then clock_timestamp() + interval '1 day' end);
  if v_next_steps && '{forget,absorb,give_back}' then
    perform braid_store.note_task(tenant_id, collection.id, 'move_vectors');
  end if;
  perform braid_store.extend_visit(tenant_id, collection);
  if braid_store.has_due_attributes(tenant_id, collection.id) then
    perform braid_store.note_task(tenant_id, collection.id, 'index_attributes');
  end if;
  -- Most parts need nothing more. Without this return, the locks of all parts could fill the server's lock table.
  if not (v_next_steps && c_steps or v_needs_merges or v_needs_sparse or v_needs_lists or v_needs_centroid) then
    return;
  elsif not braid_store.try_lock_part(collection.id, tenant_id) then
    is_complete := false;
    return;
  end if;

  if v_next_steps && c_steps then
    -- One session works at a time, because two would both make shards.
    is_complete := braid_store.try_lock_shards(collection.id, tenant_id);
    -- During a model change, advance both spaces, so that the new one is as fast as the old one when searches begin to
    -- use it.
    if is_complete then
      for v_space in select w.* from unnest(v_spaces) w loop
        v_moved := braid_store.advance_shards(tenant_id, v_space, c_steps, deadline);
        step_count := step_count + v_moved.step_count;
        is_complete := is_complete and coalesce(v_moved.next_step <> all (c_steps), true);
      end loop;
    end if;
  end if;
  if v_needs_centroid then
    perform braid_store.update_centroid(tenant_id, w) from unnest(v_spaces) w;
  end if;
  if v_needs_merges then
    v_merged := braid_store.merge_due(tenant_id, collection, deadline, is_bounded);
    merges := merges + v_merged.merges;
    segments := segments + v_merged.segments;
    seconds_needed := v_merged.seconds_needed;
    is_complete := is_complete and v_merged.is_complete;
  end if;
  -- Merges come first, because they make segments.
  if v_needs_lists or v_needs_merges and braid_store.has_due_lists(tenant_id, collection.id) then
    v_listed := braid_store.maintain_lists(tenant_id, collection.id, deadline);
    listed_count := v_listed.chunk_count;
    is_complete := is_complete and v_listed.is_complete;
  end if;
  if v_needs_sparse then
    begin
      loop
        exit when braid_store.absorb_sparse_rows(tenant_id, collection.id, c_most_absorbed) = 0;
        if clock_timestamp() > deadline or braid_store.keeps_waiting() then
          is_complete := false;
          exit;
        end if;
      end loop;
      v_merged := braid_store.merge_due(tenant_id, v_sparse, deadline, is_bounded);
      merges := merges + v_merged.merges;
      segments := segments + v_merged.segments;
      seconds_needed := greatest(seconds_needed, v_merged.seconds_needed);
      is_complete := is_complete and v_merged.is_complete;
    exception when others then
      -- The work above stays done.
      warning := braid_store.report_failure(tenant_id, collection.id, sqlstate, sqlerrm);
      is_complete := false;
    end;
  end if;
end
$$;

comment on function braid_store.maintain_part(int, braid_store.collections, timestamptz, boolean) is
  'Do what a tenant''s part of a collection needs without making writers wait: merges, lists of metadata values, '
  'copies of vectors into a new shard, and the centroid. Call extend_visit, and note what else the part needs. '
  'next_visit: when to visit it again; null if only writes make a visit necessary. warning: why sparse terms were '
  'not merged. The other results are as in maintain().';
