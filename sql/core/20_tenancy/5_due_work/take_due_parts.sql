create or replace function braid_store.take_due_parts(task text, due_before timestamptz, ended_before xid8 default null)
returns setof braid_store.due_parts
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_sort = off
set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  c_count constant int := 100;
  v_taken braid_store.due_parts[];
begin
  v_taken := array(
    select d from braid_store.due_parts d
    where d.task = take_due_parts.task and d.awaits is null and d.due_at <= take_due_parts.due_before
    order by d.due_at
    limit c_count
    for update skip locked);
  if v_taken = '{}' and take_due_parts.ended_before is not null then
    v_taken := array(
      select d from braid_store.due_parts d
      where d.awaits <= take_due_parts.ended_before
      order by d.awaits
      limit c_count
      for update skip locked);
  end if;
  -- Lock the other notes of these parts for the task as well, so that one visit settles all.
  return query
  select d.*
  from (select distinct t.tenant_id, t.collection_id from unnest(v_taken) t) p,
       lateral (
         select d.* from braid_store.due_parts d
         where d.tenant_id = p.tenant_id and d.collection_id = p.collection_id and d.task = take_due_parts.task
         for update skip locked
         offset 0
       ) d;
end
$$;

comment on function braid_store.take_due_parts(text, timestamptz, xid8) is
  E'Lock and return the notes of up to 100 parts that are due for a task, longest due first. Skip notes that another '
  'session has locked.\n'
  'If no note is due, return notes that waited for transactions to end (see settle): all transactions below '
  'ended_before have ended. If ended_before is null, return no such notes.';
