create or replace function braid_store.put_off(
  notes braid_store.due_parts[],
  due_at timestamptz default clock_timestamp()
)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $$
  with kept as (
    select n.tenant_id, n.collection_id, max(n.id) as id from unnest(put_off.notes) n group by 1, 2
  ), changed as (
    update braid_store.due_parts d
    set due_at = put_off.due_at, awaits = null
    from kept k
    where d.tenant_id = k.tenant_id and d.collection_id = k.collection_id and d.id = k.id
  )
  delete from braid_store.due_parts d
  using unnest(put_off.notes) n
  where d.tenant_id = n.tenant_id and d.collection_id = n.collection_id and d.id = n.id
    and not exists (select from kept k where k.id = n.id);
$$;

comment on function braid_store.put_off(braid_store.due_parts[], timestamptz) is
  'Make the parts of these notes due again at due_at (by default now, after all parts that are due already). Keep '
  'one note of each part. The caller has locked the notes.';
