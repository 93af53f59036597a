create or replace function braid_store.notify_workers(tenant_id int, collection braid_store.collections)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
-- These settings make the planner read the primary key in its order, as in lease_embedding_jobs.
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
declare
  v_is_rest boolean;
begin
  -- A transaction that notifies blocks all others that notify while it commits. So notify only if workers may be idle:
  -- an unclaimed newest job means that they still have work.
  select j.claimed_until is not null into v_is_rest
  from braid_store.embedding_jobs j
  where j.tenant_id = notify_workers.tenant_id and j.collection_id = notify_workers.collection.id
    and j.vector_space_id = notify_workers.collection.vector_space_id
  order by j.chunk_id desc
  limit 1;
  if v_is_rest is not false then
    perform pg_notify('braid_embedding_jobs', '');
  end if;
end
$$;

comment on function braid_store.notify_workers(int, braid_store.collections) is
  'Wake workers that listen to braid_embedding_jobs when this transaction commits, unless the newest job is '
  'unclaimed. Callers run it before they put new chunks into the outbox, if the setting braid.notify_workers is on.';
