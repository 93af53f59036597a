create or replace function braid_store.due_documents(
  tenant_id int,
  collection braid_store.collections,
  max_count int
)
returns bigint[]
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
-- These settings make the planner read the indexes in their order.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
#variable_conflict use_column
declare
  v_now text := braid_store.instant_text(clock_timestamp());
  v_oldest timestamptz := clock_timestamp() - make_interval(days => (collection.parts ->> 'retention_days')::int);
  v_ids bigint[] := '{}';
begin
  if (collection.parts -> 'validity')::boolean then
    v_ids := array(
      select d.id from braid_store.documents d
      where d.tenant_id = due_documents.tenant_id and d.collection_id = (due_documents.collection).id
        and d.metadata ? 'expires_at' and (d.metadata ->> 'expires_at') collate "C" <= v_now
      order by (d.metadata ->> 'expires_at') collate "C"
      limit due_documents.max_count);
  end if;
  if v_ids = '{}' and v_oldest is not null then
    v_ids := array(
      select d.id from braid_store.documents d
      where d.tenant_id = due_documents.tenant_id and d.collection_id = (due_documents.collection).id
        and d.occurred_at < v_oldest
      order by d.occurred_at
      limit due_documents.max_count);
  end if;
  return v_ids;
end
$$;

comment on function braid_store.due_documents(int, braid_store.collections, int) is
  'Return up to max_count documents that have expired or are older than the retention of their collection.';
