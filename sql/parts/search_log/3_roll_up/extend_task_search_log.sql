create or replace function braid_store.extend_task_search_log(task text, deadline timestamptz)
returns jsonb
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  case task
    when 'roll_up_searches' then
      -- A fifth of the time: a long log must not keep the other tasks from running.
      return jsonb_build_object('complete', braid_store.roll_up_searches(
               clock_timestamp() + greatest(deadline - clock_timestamp(), interval '0') / 5));
    when 'expire_searches' then
      return jsonb_build_object('complete', braid_store.expire_searches(
               clock_timestamp() + greatest(deadline - clock_timestamp(), interval '0') / 2));
    when 'drop_search_days' then
      return jsonb_build_object('complete', braid_store.drop_search_days(deadline));
    else
      return '{}';
  end case;
end
$$;

comment on function braid_store.extend_task_search_log(text, timestamptz) is
  'Run an upkeep task of the search log: count logged searches, delete searches past their retention, or drop the '
  'tables of empty days.';
