-- role: service
-- tenants: all
create or replace function braid_store.maintain_all(time_budget interval)
returns jsonb
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
-- A task that meets a lock is reported and left to the next call. It must not wait long, because writers may wait for
-- rows that this transaction has locked.
set lock_timeout = '300ms'
as $$
declare
  v_is_bounded boolean := time_budget is not null;
  v_budget interval := least(coalesce(time_budget, interval '10 seconds'), interval '100 years');
  v_locking_time interval := least(v_budget / 5, interval '1 second');
  v_deadline timestamptz := clock_timestamp() + v_budget - v_locking_time;
  -- The counter may still have rows of earlier transactions of this session.
  v_vectors_deleted bigint := case when pg_current_xact_id_if_assigned() is null
                                        and current_setting('track_counts')::boolean
                                   then pg_stat_get_xact_tuples_deleted('braid_store.chunk_vectors'::regclass) end;
  v_tasks text[];
  v_free_count int;
  v_task text;
  v_done jsonb;
  v_is_complete boolean;
  v_all jsonb := '{"merges": 0, "segments_merged": 0, "chunks_listed": 0, "chunks_indexed": 0, "chunks_enqueued": 0,
                   "vector_steps": 0, "shards_dropped": 0, "postings_moved": 0, "documents_reaped": 0, "warnings": [],
                   "complete": true}';
begin
  if v_budget <= interval '0' then
    raise exception 'time_budget is %', time_budget
      using errcode = '22023', hint = 'Use an interval above zero, for example ''10 seconds''.';
  elsif current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'maintain needs the isolation level read committed, but the transaction has %',
                    current_setting('transaction_isolation')
      using errcode = '0A000', hint = 'Make the call in a transaction with the isolation level read committed.';
  elsif current_setting('transaction_read_only') = 'on' then
    raise exception 'maintain writes, but this transaction is read-only'
      using errcode = '25006', hint = 'Call maintain on the primary, in a transaction that may write. Standbys '
                                      'replay its changes.';
  end if;

  -- Tasks run in the order of their places. Tasks at the last place, 100, lock rows, and run in any order.
  select array_agg(t.name order by t.place, random()), count(*) filter (where t.place < 100)
  into v_tasks, v_free_count
  from (
    values ('index_shards', 10), ('reap_collections', 20), ('reap_tenants', 30), ('drop_retired_shards', 40),
      ('note_parts', 50),
           ('maintain_parts', 60), ('empty_postings', 70), ('move_vectors', 100), ('maintain_attributes', 100),
           ('rebuild_indexes', 100), ('reap_spaces', 100)
    union all
    select m.key, m.value::int from braid_store.parts p, jsonb_each(p.manifest -> 'maintenance') m
  ) t (name, place);
  foreach v_task in array v_tasks loop
    -- The tasks from here on lock rows that writers wait for until the transaction ends. So they come last, after all
    -- tasks that may take longer.
    if v_task = v_tasks[v_free_count + 1] then
      v_deadline := least(v_deadline, clock_timestamp()) + v_locking_time;
    end if;
    begin
      v_done := braid_store.maintenance_task(v_task, v_deadline, v_is_bounded);
    exception when others then
      v_done := jsonb_build_object('warnings', array[braid_store.report_failure(null, null, sqlstate,
                                                                                      v_task || ': ' || sqlerrm)],
                                   'complete', false);
    end;
    v_all := braid_store.add_results(v_all, v_done);
    -- A shard that has just begun to serve keeps its locks until the end, too. With a short deadline, a clear waits no
    -- longer than it must.
    if v_task = 'index_shards' and (v_done -> 'vector_steps')::int > 0 and not v_is_bounded then
      v_deadline := least(v_deadline, clock_timestamp() + v_locking_time);
    end if;
    if braid_store.keeps_waiting() then
      v_all := v_all || '{"complete": false}';
      exit;
    end if;
  end loop;
  -- This comes last, because searches wait for its lock until the transaction ends.
  foreach v_is_complete in array array[braid_store.truncate_vectors(v_vectors_deleted),
                                       braid_store.truncate_postings()] loop
    v_all := v_all || jsonb_build_object('complete', (v_all -> 'complete')::boolean and v_is_complete);
  end loop;
  -- A shard that waits to be dropped is unfinished work: this call retired it, or a snapshot may still read it.
  return v_all || jsonb_build_object('complete', (v_all -> 'complete')::boolean
    and not braid_store.has_unfinished_shards());
end
$$;

comment on function braid_store.maintain_all(interval) is
  'Do the work of braid.maintain. A merge or an index cannot be interrupted: within a budget, it begins only if '
  'there is time for it, by the speed measured before. A task that fails is reported, and the others are done. The '
  'manifests of parts list their tasks, with places among the core''s.';
