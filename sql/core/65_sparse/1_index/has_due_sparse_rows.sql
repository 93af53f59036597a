create or replace function braid_store.has_due_sparse_rows(tenant_id int, collection_id int)
returns boolean
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  v_index braid_store.collections;
begin
  v_index.id := -has_due_sparse_rows.collection_id;
  return exists (
           select from braid_store.unindexed_sparse_rows n
           where n.tenant_id = has_due_sparse_rows.tenant_id and n.collection_id = has_due_sparse_rows.collection_id)
         or braid_store.segments_to_merge(has_due_sparse_rows.tenant_id, v_index) is not null;
end
$$;

comment on function braid_store.has_due_sparse_rows(int, int) is
  'Tell whether maintain() has work to do in the index of a tenant''s sparse terms in a collection.';
