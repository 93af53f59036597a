-- role: service
create or replace function braid_store.continue_maintenance(
  deadline timestamptz,
  so_far jsonb,
  out result jsonb,
  out seconds_to_wait float8
)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  -- A call that is interrupted loses its work. So it is short, unless a step needs more.
  c_call constant interval := '10 seconds';
  v_left interval := deadline - clock_timestamp();
  v_call interval := greatest(c_call, (so_far ->> 'seconds_needed')::int * interval '1 second');
  v_needed interval;
  v_done jsonb;
begin
  v_done := braid_store.maintain_all(
    case when deadline is not null then greatest(least(v_call, v_left), interval '0.1 s') end);
  result := braid_store.add_results(coalesce(so_far, '{}') - '{complete,seconds_needed}'::text[], v_done);
  v_needed := (v_done ->> 'seconds_needed')::int * interval '1 second';
  v_left := deadline - clock_timestamp();
  seconds_to_wait := case
    when (v_done -> 'complete')::boolean or v_left <= interval '0' then null
    when exists (select from jsonb_each(v_done - '{complete,warnings,seconds_needed}'::text[]) c where c.value <> '0')
      then 0
    when v_needed > v_left then null -- The time is too short for what is left.
    when v_needed > v_call then 0
    else 0.5 end; -- The rest waits for other sessions.
end
$$;

comment on function braid_store.continue_maintenance(timestamptz, jsonb) is
  'Do a step of braid.run_maintenance: call maintain_all with some of the time until the deadline; null means without '
  'a budget. so_far: the result of the steps before. result: the result of all steps, with complete and '
  'seconds_needed of this step. seconds_to_wait: how long to wait before the next step; null if this was the last one.';
