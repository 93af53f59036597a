-- Cross-tenant: owned by braid_owner.
create or replace function braid_store.maintain_all(time_budget interval)
returns jsonb
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_deadline timestamptz;
  v_part record;
  v_merged record;
  v_space braid_store.collections;
  v_moved record;
  v_merges int := 0;
  v_segments int := 0;
  v_steps int := 0;
  v_dropped int;
  v_reaped bigint;
  v_warnings text[] := '{}';
  v_attributes record;
  v_enqueued record;
  v_is_swept boolean;
  v_is_complete boolean := true;
begin
  if time_budget is null or time_budget <= interval '0' then
    raise exception 'time_budget is %', coalesce(time_budget::text, 'null')
      using errcode = '22023', hint = 'Use an interval above zero, for example ''10 seconds''.';
  elsif current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'maintain needs the isolation level read committed, this is %',
                    current_setting('transaction_isolation')
      using errcode = '0A000', hint = 'Run it in a transaction of the default isolation level.';
  end if;
  v_deadline := clock_timestamp() + time_budget;

  v_reaped := braid_store.reap_collections(v_deadline);
  for v_part in
    select p.tenant_id, c as collection
    from (
      select s.tenant_id, s.collection_id, false as is_indexing from braid_store.segments s
      union
      select s.tenant_id, s.collection_id, s.state = 'indexing' from braid_store.vector_shards s where s.state <> 'retired'
    ) p
    join braid_store.collections c on c.id = p.collection_id
    group by p.tenant_id, c.id
    -- Making an index takes long: before this transaction has changed what writers would wait for. Else in another order
    -- each time, so that little time leaves nobody out for ever.
    order by bool_or(p.is_indexing) desc, random()
  loop
    -- A part that is being cleared or dropped needs nothing.
    continue when not (
      pg_try_advisory_xact_lock_shared(braid_store.lock_key((v_part.collection).id))
      and pg_try_advisory_xact_lock_shared(braid_store.lock_key((v_part.collection).id, v_part.tenant_id)));
    -- Both, in a model migration: the new one is as fast as the old one when it begins to serve.
    for v_space in
      select w.*
      from braid_store.written_spaces(v_part.collection) w
      order by exists (select from braid_store.vector_shards s
                       where s.tenant_id = v_part.tenant_id and s.collection_id = w.id
                         and s.vector_space_id = w.vector_space_id and s.state = 'indexing') desc
    loop
      v_moved := braid_store.advance_shards(v_part.tenant_id, v_space, v_deadline);
      v_steps := v_steps + v_moved.steps;
      v_warnings := v_warnings || v_moved.warning;
      v_is_complete := v_is_complete and v_moved.is_complete;
    end loop;
    v_merged := braid_store.merge_due(v_part.tenant_id, v_part.collection, v_deadline);
    v_merges := v_merges + v_merged.merges;
    v_segments := v_segments + v_merged.segments;
    v_is_complete := v_is_complete and v_merged.is_complete;
    exit when clock_timestamp() > v_deadline and not v_is_complete;
  end loop;
  v_dropped := braid_store.drop_retired_shards();
  -- Behind the merges: it waits for nobody, but others wait for it until the end of the transaction.
  v_attributes := braid_store.maintain_attributes(v_deadline);
  v_enqueued := braid_store.enqueue_migrations(v_deadline);
  v_is_swept := braid_store.reap_spaces(v_deadline);
  return jsonb_build_object(
    'merges', v_merges, 'segments_merged', v_segments, 'chunks_indexed', v_attributes.chunk_count,
    'chunks_enqueued', v_enqueued.chunk_count,
    'vector_steps', v_steps, 'shards_dropped', v_dropped, 'documents_reaped', v_reaped,
    'warnings', array_remove(v_warnings, null),
    'complete', v_is_complete and v_attributes.is_complete and v_enqueued.is_complete and v_is_swept
                and not exists (select from braid_store.dropped_collections));
end
$$;

comment on function braid_store.maintain_all(interval) is
  'Does the work of braid.maintain. A merge or an index that has begun is finished, even past the budget.';
