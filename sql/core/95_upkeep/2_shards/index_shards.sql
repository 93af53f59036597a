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
  -- Stop after this number of shards, because the locks of an index are kept until the transaction ends. maintain_parts
  -- has the same limit.
  c_most_shards constant int := 100;
  -- Indexing this few vectors takes about as long as measuring the rate.
  c_few constant int := 2000;
  v_started timestamptz := clock_timestamp();
  v_begun timestamptz;
  v_shard braid_store.vector_shards;
  v_work float8;
  v_seconds float8;
  v_rate float8;
  v_done_rate float8;
  v_is_large boolean;
  v_left int := 0;
begin
  step_count := 0;
  warnings := '{}';
  for v_shard in
    select s.* from braid_store.vector_shards s where s.state = 'indexing' order by s.vector_count, random()
  loop
    v_begun := clock_timestamp();
    -- Use half of the time at most: other tasks need the other half.
    exit when v_begun > deadline or step_count + v_left = c_most_shards
              or step_count > 0 and (v_begun > v_started + (deadline - v_started) / 2 or braid_store.keeps_waiting());
    begin
      continue when not braid_store.try_lock_shards(v_shard.collection_id, v_shard.tenant_id);
      perform
      from braid_store.collections c, braid_store.written_spaces(c) w, braid_store.vector_shards s
      where c.id = v_shard.collection_id and w.vector_space_id = v_shard.vector_space_id
        -- Read the shard again, because another session may have had the lock until now and changed it.
        and (s.tenant_id, s.collection_id, s.vector_space_id, s.id)
            = (v_shard.tenant_id, v_shard.collection_id, v_shard.vector_space_id, v_shard.id) and s.state = 'indexing';
      continue when not found;
      v_work := braid_store.index_work(v_shard);
      v_is_large := v_shard.vector_count - v_shard.duplicate_count > c_few;
      v_rate := (select r.index_work_per_second from braid_store.upkeep_rates r);
      if v_rate is null and v_is_large and (is_bounded or step_count > 0) then
        perform braid_store.measure_index_rate(v_shard);
        v_rate := (select r.index_work_per_second from braid_store.upkeep_rates r);
        v_begun := clock_timestamp();
      end if;
      v_seconds := 1.5 * v_work / v_rate;
      -- Making an index cannot be interrupted. Without a budget, the first index is made however long it takes.
      if v_seconds > extract(epoch from deadline - v_begun) + 0.5 and (is_bounded or step_count > 0) then
        exit when not is_bounded;
        v_left := v_left + 1;
        update braid_store.vector_shards s
        set seconds_needed = ceil(v_seconds + 2)::int
        where s.tenant_id = v_shard.tenant_id and s.collection_id = v_shard.collection_id
          and s.vector_space_id = v_shard.vector_space_id and s.id = v_shard.id;
        seconds_needed := least(seconds_needed, ceil(v_seconds + 2)::int);
        continue;
      end if;
      -- Making the index may take an hour. Nobody waits for the locks held meanwhile: clearing the part retires the
      -- shard, which then never serves.
      warnings := warnings || array_remove(array[braid_store.index_shard(v_shard)], null);
      perform braid_store.calibrate_shard(v_shard);
      if not braid_store.reject_index(v_shard) and braid_store.try_lock_part(v_shard.collection_id, v_shard.tenant_id)
        then
        perform braid_store.serve_shard(v_shard);
      end if;
      -- The next visit notes the task move_vectors for the shard.
      perform braid_store.note_task(v_shard.tenant_id, v_shard.collection_id, 'visit');
      v_done_rate := v_work / extract(epoch from clock_timestamp() - v_begun)::float8;
      -- The rate of a small index says little about a large one.
      if v_is_large or v_done_rate > v_rate then
        perform braid_store.note_rate(index_work_per_second => v_done_rate);
      end if;
      step_count := step_count + 1;
    exception when others then
      warnings := warnings || braid_store.report_failure(v_shard.tenant_id, v_shard.collection_id, sqlstate, sqlerrm);
    end;
  end loop;
end
$$;

comment on function braid_store.index_shards(timestamptz, boolean) is
  'Make the indexes of copied shards, the smallest shard first, and let these shards serve searches, until half of '
  'the time has passed or 100 are made. is_bounded: whether there is a budget of time. seconds_needed: how long the '
  'smallest index would take that did not fit into the budget. Each shard left out has its own seconds_needed.';
