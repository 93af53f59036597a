create or replace function braid_store.has_due_parts(task text, due_before timestamptz)
returns boolean
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
begin
  return exists (
    select from braid_store.due_parts d
    where d.task = has_due_parts.task and d.awaits is null and d.due_at <= has_due_parts.due_before);
end
$$;

comment on function braid_store.has_due_parts(text, timestamptz) is
  'Tell whether parts that were due for a task before the given time are still due: maintenance ran out of time, or '
  'another session works on them.';
