create or replace function braid_store.move_vectors(
  deadline timestamptz,
  out step_count int,
  out warnings text[],
  out is_complete boolean
)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  -- Stop after this number of shards, because a shard whose vectors are moved stays locked until the transaction ends.
  -- maintain_parts has the same limit.
  c_most_shards constant int := 100;
  v_started timestamptz := clock_timestamp();
  v_notes braid_store.due_parts[];
  v_part record;
  v_space record;
  v_moved record;
  v_is_done boolean;
  v_shard_count int := 0;
begin
  step_count := 0;
  warnings := '{}';
  is_complete := true;
  <<batches>>
  loop
    v_notes := array(select n from braid_store.take_due_parts('move_vectors', v_started) n);
    exit when v_notes = '{}';
    for v_part in
      select n.tenant_id, n.collection_id, array_agg(n) as notes
      from unnest(v_notes) n
      group by n.tenant_id, n.collection_id
      order by min(n.due_at)
    loop
      begin
        v_is_done := true;
        for v_space in
          select s.served_at, w as collection
          from braid_store.collections c
          cross join lateral braid_store.written_spaces(c) w
          join braid_store.vector_shards s
            on s.tenant_id = v_part.tenant_id and s.collection_id = c.id and s.vector_space_id = w.vector_space_id
               and s.state = 'serving'
          where c.id = v_part.collection_id
        loop
          v_shard_count := v_shard_count + 1;
          continue when (braid_store.next_shard_step(v_part.tenant_id, v_space.collection)).step is null;
          -- Wait if the shard began to serve after this transaction began, because deletes that do not know the shard
          -- yet must end first.
          if v_space.served_at >= now()
             or not (braid_store.try_lock_part(v_part.collection_id, v_part.tenant_id)
                     and braid_store.try_lock_shards(v_part.collection_id, v_part.tenant_id)) then
            v_is_done := false;
            continue;
          end if;
          v_moved := braid_store.advance_shards(v_part.tenant_id, v_space.collection, '{forget,absorb,give_back}',
                                                move_vectors.deadline);
          step_count := step_count + v_moved.step_count;
          v_is_done := v_is_done and v_moved.next_step is null;
          -- A visit makes the new shard.
          if v_moved.next_step in ('create', 'copy', 'index') then
            perform braid_store.note_task(v_part.tenant_id, v_part.collection_id, 'visit');
          end if;
        end loop;
        is_complete := is_complete and v_is_done;
        if v_is_done then
          perform braid_store.settle(v_part.notes, null, null);
        else
          perform braid_store.put_off(v_part.notes);
        end if;
      exception when others then
        warnings := warnings || braid_store.report_failure(v_part.tenant_id, v_part.collection_id, sqlstate, sqlerrm);
        is_complete := false;
        perform braid_store.put_off(v_part.notes);
      end;
      if clock_timestamp() > move_vectors.deadline or v_shard_count >= c_most_shards then
        exit batches;
      end if;
    end loop;
  end loop;
  is_complete := is_complete and not braid_store.has_due_parts('move_vectors', v_started);
end
$$;

comment on function braid_store.move_vectors(timestamptz) is
  'Move vectors from where they were written to the serving shards, or back, in the parts that a visit has noted. '
  'Stop at the deadline, or after 100 shards. A writer of a moved vector waits until the transaction ends.';
