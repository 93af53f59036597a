create or replace function braid_store.note_task(tenant_id int, collection_id int, task text)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
begin
  insert into braid_store.due_parts (tenant_id, collection_id, task)
  select note_task.tenant_id, note_task.collection_id, note_task.task
  where not exists (
    select from braid_store.due_parts d
    where d.tenant_id = note_task.tenant_id and d.collection_id = note_task.collection_id and d.task = note_task.task
      and d.due_at <= clock_timestamp() and d.awaits is null and d.xmax = 0);
end
$$;

comment on function braid_store.note_task(int, int, text) is
  'Note a task that a visit found to do in a tenant''s part of a collection. Do nothing if the task is noted already '
  'and nobody works on it.';
