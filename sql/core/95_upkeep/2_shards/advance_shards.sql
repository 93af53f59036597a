create or replace function braid_store.advance_shards(
  tenant_id int,
  collection braid_store.collections,
  allowed_steps text[],
  deadline timestamptz,
  out step_count int,
  out next_step text
)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_next record;
  v_moved int;
begin
  step_count := 0;
  loop
    v_next := braid_store.next_shard_step(tenant_id, collection);
    next_step := v_next.step;
    -- Check the time after a step, so that each call takes at least one, however little time other tasks leave.
    exit when next_step is null or next_step <> all (allowed_steps)
              or step_count > 0 and (clock_timestamp() > deadline or braid_store.keeps_waiting());
    case next_step
      when 'create' then perform braid_store.create_shard(tenant_id, collection);
      when 'copy' then perform braid_store.copy_vectors(v_next.moving, (v_next.serving).id, 2000);
      when 'forget' then perform braid_store.forget_copied(v_next.serving, 1000);
      when 'absorb' then v_moved := braid_store.absorb_vectors(v_next.serving, 50);
      when 'give_back' then v_moved := braid_store.give_back_vectors(v_next.serving, 1000);
    end case;
    if v_moved = 0 then
      next_step := null; -- No vector is left, or writers have locked the rest.
      exit;
    end if;
    step_count := step_count + 1;
  end loop;
end
$$;

comment on function braid_store.advance_shards(int, braid_store.collections, text[], timestamptz) is
  'Move the vectors of a tenant''s part of a collection to where they belong, by steps of the allowed kinds, until '
  'the deadline. All vectors can be read after each step, and a lost session loses only its last steps. step_count: '
  'the number of steps taken. next_step: the step that comes next; null if no step can be taken now.';
