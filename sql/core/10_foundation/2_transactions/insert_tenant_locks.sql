create or replace function braid_store.insert_tenant_locks(tenant_id int)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  insert into braid_locks.tenant_locks (tenant_id, slot, kind)
  select insert_tenant_locks.tenant_id, s.slot, k.kind
  from generate_series(0, 7) s (slot)
  cross join unnest('{writing,turn,shards}'::text[]) k (kind);
$$;

comment on function braid_store.insert_tenant_locks(int) is
  'Create the rows of braid_locks.tenant_locks for a new tenant: 8 slots, each with the kinds writing, turn and '
  'shards.';
