create or replace function braid_store.try_lock_shards(collection_id int, tenant_id int)
returns boolean
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  perform
  from braid_locks.tenant_locks l
  where l.tenant_id = try_lock_shards.tenant_id and l.slot = braid_store.lock_slot(try_lock_shards.collection_id)
    and l.kind = 'shards'
  for update skip locked;
  return found;
end
$$;

comment on function braid_store.try_lock_shards(int, int) is
  'Claim the making of vector shards in a tenant''s part of a collection for this session, until its transaction '
  'ends. Return false at once if another session has claimed it. Writers, searches and clears are not affected.';
