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
  -- Somebody may wait for a call with a shorter budget.
  c_long_budget constant interval := '8 seconds';
  -- The budget has these seconds for everything else.
  c_rest constant int := 2;
  v_started timestamptz := clock_timestamp();
  v_begun timestamptz;
  v_shard braid_store.vector_shards;
  v_seconds float8;
  v_until_timeout float8;
  v_is_late boolean;
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
      -- Building an index cannot be interrupted. An index that never fitted would never be built, so a call exceeds its
      -- budget for an index that has waited as long as building it takes.
      v_until_timeout := braid_store.seconds_until_timeout();
      v_seconds := braid_store.slow_index_seconds(v_shard);
      if v_seconds > v_until_timeout or is_bounded and v_begun + v_seconds * interval '1 second' > deadline then
        v_seconds := coalesce(v_shard.seconds_needed - c_rest, ceil(braid_store.estimate_index_seconds(v_shard)));
        v_until_timeout := braid_store.seconds_until_timeout();
        v_is_late := is_bounded and clock_timestamp() + v_seconds * interval '1 second' > deadline + interval '0.5 s';
        if v_seconds > v_until_timeout then
          warnings := warnings || braid_store.report_failure(
            v_shard.tenant_id, v_shard.collection_id, '57014',
            format('building its vector index takes about %s seconds, but statement_timeout or transaction_timeout '
                   'ends this call in %s. Set them to 0 for the role that calls maintain()',
                   v_seconds, greatest(floor(v_until_timeout), 0)));
        end if;
        if v_seconds > v_until_timeout
           or v_is_late and not (step_count = 0 and deadline - v_started >= c_long_budget
                                 and v_begun > v_shard.created_at + v_seconds * interval '1 second') then
          v_left := v_left + 1;
          update braid_store.vector_shards s
          set seconds_needed = v_seconds + c_rest
          where s.tenant_id = v_shard.tenant_id and s.collection_id = v_shard.collection_id
            and s.vector_space_id = v_shard.vector_space_id and s.id = v_shard.id;
          seconds_needed := least(seconds_needed, (v_seconds + c_rest)::int);
          continue;
        end if;
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
