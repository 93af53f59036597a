create or replace function braid_store.maintain_part(
  tenant_id int,
  collection braid_store.collections,
  deadline timestamptz,
  out merges int,
  out segments int,
  out step_count int,
  out is_complete boolean
)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_steps constant text[] := '{create,copy}';
  v_needs_vectors boolean;
  v_needs_merges boolean;
  v_needs_centroid boolean;
  v_space braid_store.collections;
  v_moved record;
  v_merged record;
begin
  merges := 0;
  segments := 0;
  step_count := 0;
  is_complete := true;
  -- Most parts need nothing, and there are more of them than the server has room for locks.
  v_needs_vectors := exists (
    select from braid_store.written_spaces(collection) w
    where (braid_store.next_shard_step(tenant_id, w)).step = any (v_steps || 'index'::text));
  v_needs_merges := braid_store.segments_to_merge(tenant_id, collection) is not null;
  v_needs_centroid := exists (
    select from braid_store.written_spaces(collection) w where (braid_store.due_centroid(tenant_id, w)).is_due);
  if not (v_needs_vectors or v_needs_merges or v_needs_centroid) then
    return;
  elsif not braid_store.try_lock_part(collection.id, tenant_id) then
    is_complete := false;
    return;
  end if;

  if v_needs_vectors then
    -- One session at a time, else both would make shards.
    is_complete := braid_store.try_lock_shards(collection.id, tenant_id);
    -- Both, in a model migration: the new one is as fast as the old one when it begins to serve.
    if is_complete then
      for v_space in select w.* from braid_store.written_spaces(collection) w loop
        v_moved := braid_store.advance_shards(tenant_id, v_space, v_steps, deadline);
        step_count := step_count + v_moved.step_count;
        is_complete := is_complete and coalesce(v_moved.next_step <> all (v_steps || 'index'::text), true);
      end loop;
    end if;
  end if;
  if v_needs_centroid then
    perform braid_store.update_centroid(tenant_id, w) from braid_store.written_spaces(collection) w;
  end if;
  if v_needs_merges then
    v_merged := braid_store.merge_due(tenant_id, collection, deadline);
    merges := v_merged.merges;
    segments := v_merged.segments;
    is_complete := is_complete and v_merged.is_complete;
  end if;
end
$$;

comment on function braid_store.maintain_part(int, braid_store.collections, timestamptz) is
  'What a tenant''s part of a collection needs and no writer waits for: merges, copying vectors into a new shard, '
  'and their centroid.';
