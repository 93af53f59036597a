create or replace function braid_store.delete_due(
  tenant_id int,
  collection braid_store.collections,
  document_ids bigint[]
)
returns bigint
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  v_now text := braid_store.instant_text(clock_timestamp());
  v_oldest timestamptz := clock_timestamp() - make_interval(days => (collection.parts ->> 'retention_days')::int);
begin
  return braid_store.delete_listed(tenant_id, collection.id, array(
    select d.external_id
    from unnest(document_ids) u (id),
         lateral (
           select d.external_id, d.metadata, d.occurred_at from braid_store.documents d
           where d.tenant_id = delete_due.tenant_id and d.id = u.id
           for update skip locked
           offset 0
         ) d
    where ((delete_due.collection).parts -> 'validity')::boolean and (d.metadata ->> 'expires_at') collate "C" <= v_now
       or d.occurred_at < v_oldest));
end
$$;

comment on function braid_store.delete_due(int, braid_store.collections, bigint[]) is
  'Delete the given documents, except documents that under their lock are not due any more. Documents that a writer '
  'has locked are left to the next call. Return the number of documents deleted.';
