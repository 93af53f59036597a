create or replace function braid_store.extend_task_monitoring(task text, deadline timestamptz)
returns jsonb
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  case task
    when 'reap_usage' then
      return jsonb_build_object('complete', braid_store.reap_usage(deadline));
    when 'note_sizes' then
      return jsonb_build_object('complete', braid_store.note_sizes(deadline));
    else
      return '{}';
  end case;
end
$$;

comment on function braid_store.extend_task_monitoring(text, timestamptz) is
  'Run an upkeep task of monitoring: delete old usage of embedding services, or record sizes.';
