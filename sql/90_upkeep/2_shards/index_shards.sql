create or replace function braid_store.index_shards(
  deadline timestamptz,
  is_bounded boolean,
  out step_count int,
  out warnings text[],
  out seconds_needed int
)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $$
declare
  -- As in maintain_parts: what an index locks is locked until the transaction ends.
  c_most_shards constant int := 100;
  v_started timestamptz := clock_timestamp();
  v_begun timestamptz;
  v_shard braid_store.vector_shards;
  v_work float8;
  v_seconds float8;
  v_rate float8;
begin
  step_count := 0;
  warnings := '{}';
  for v_shard in
    select s.* from braid_store.vector_shards s where s.state = 'indexing' order by s.vector_count, random()
  loop
    v_begun := clock_timestamp();
    -- The other half of the time is for other tasks.
    exit when v_begun > deadline or step_count = c_most_shards
              or step_count > 0 and (v_begun > v_started + (deadline - v_started) / 2 or braid_store.keeps_waiting());
    begin
      continue when not braid_store.try_lock_shards(v_shard.collection_id, v_shard.tenant_id);
      perform
      from braid_store.collections c, braid_store.written_spaces(c) w, braid_store.vector_shards s
      where c.id = v_shard.collection_id and w.vector_space_id = v_shard.vector_space_id
        -- Read again: until now another session may have had the lock and changed the shard.
        and (s.tenant_id, s.collection_id, s.vector_space_id, s.id)
            = (v_shard.tenant_id, v_shard.collection_id, v_shard.vector_space_id, v_shard.id) and s.state = 'indexing';
      continue when not found;
      v_work := braid_store.index_work(v_shard);
      v_rate := (select r.index_work_per_second from braid_store.upkeep_rates r);
      v_seconds := 1.5 * v_work / v_rate;
      -- Making an index cannot be interrupted. Without a budget, one is made however long it takes.
      if v_seconds > extract(epoch from deadline - v_begun) + 0.5 and (is_bounded or step_count > 0) then
        seconds_needed := case when is_bounded then ceil(v_seconds + 2)::int end;
        exit;
      end if;
      -- Making the index may take an hour. Nothing is locked meanwhile that anybody waits for: if the part is cleared,
      -- that retires the shard, and it never serves.
      warnings := warnings || array_remove(array[braid_store.index_shard(v_shard)], null);
      perform braid_store.calibrate_shard(v_shard);
      if not braid_store.reject_index(v_shard) and braid_store.try_lock_part(v_shard.collection_id, v_shard.tenant_id) then
        perform braid_store.serve_shard(v_shard);
      end if;
      -- The next visit moves its vectors.
      perform braid_store.note_task(v_shard.tenant_id, v_shard.collection_id, 'visit');
      perform braid_store.note_rate(
        index_work_per_second => v_work / extract(epoch from clock_timestamp() - v_begun)::float8);
      step_count := step_count + 1;
    exception when others then
      warnings := warnings || braid_store.report_failure(v_shard.tenant_id, v_shard.collection_id, sqlstate, sqlerrm);
    end;
  end loop;
end
$$;

comment on function braid_store.index_shards(timestamptz, boolean) is
  'Makes the indexes of shards that have been copied, the smallest shard first, and lets these shards serve searches, '
  'until half of the time has passed or 100 are made. is_bounded: whether there is a budget of time. seconds_needed: how '
  'long the next index would take, if it was not begun because it would not fit.';
