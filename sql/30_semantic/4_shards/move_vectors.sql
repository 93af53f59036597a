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
declare
  v_part record;
  v_moved record;
begin
  step_count := 0;
  warnings := '{}';
  is_complete := true;
  for v_part in
    select s.tenant_id, s.served_at, w as collection
    from braid_store.vector_shards s
    join braid_store.collections c on c.id = s.collection_id
    cross join lateral braid_store.written_spaces(c) w
    where s.state = 'serving' and w.vector_space_id = s.vector_space_id
    order by random()
  loop
    begin
      continue when (braid_store.next_shard_step(v_part.tenant_id, v_part.collection)).step is null;
      -- One that serves since this transaction began: a delete that does not know yet must have ended before.
      if v_part.served_at >= now()
         or not (braid_store.try_lock_part((v_part.collection).id, v_part.tenant_id)
                 and braid_store.try_lock_shards((v_part.collection).id, v_part.tenant_id)) then
        is_complete := false;
        continue;
      end if;
      v_moved := braid_store.advance_shards(v_part.tenant_id, v_part.collection, '{forget,absorb,give_back}',
                                            move_vectors.deadline);
      step_count := step_count + v_moved.step_count;
      is_complete := is_complete and v_moved.next_step is null;
    exception when others then
      warnings := warnings || braid_store.report_failure(v_part.tenant_id, (v_part.collection).id, sqlstate, sqlerrm);
      is_complete := false;
    end;
    exit when clock_timestamp() > move_vectors.deadline and not is_complete;
  end loop;
end
$$;

comment on function braid_store.move_vectors(timestamptz) is
  'Moves vectors between where they were written and the shards that serve, until the deadline. Whoever writes one of them '
  'then waits until the transaction ends.';
