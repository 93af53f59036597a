create or replace function braid_store.lock_slot(collection_id int)
returns int
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select lock_slot.collection_id % 8;
$$;

comment on function braid_store.lock_slot(int) is
  'Return the slot in braid_locks.tenant_locks that a tenant''s part of a collection uses: the collection''s id modulo '
  '8.';
