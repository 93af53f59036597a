create or replace function braid_store.extend_task(task text, deadline timestamptz)
returns jsonb
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return '{}';
end
$$;

comment on function braid_store.extend_task(text, timestamptz) is
  'Extension point: run a task of maintenance that the manifest of a part lists, until the deadline. Return counts '
  'of what it did, and in complete whether nothing is left. Return an empty object for another part''s task.';
