-- role: definer
-- tenants: all
-- Policies hide the documents that it looks for.
create or replace function braid_store.hidden_document(collection_id int, external_ids text[])
returns text
language plpgsql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $$
declare
  v_tenant_id int := braid_calls.session_tenant_id();
  v_bounds bigint[] := braid_calls.readable_bounds();
begin
  return (
    select d.external_id
    from unnest(hidden_document.external_ids) u (external_id),
         lateral (
           select d.external_id, d.access_list_id from braid_store.documents d
           where d.tenant_id = v_tenant_id and d.collection_id = hidden_document.collection_id
             and d.external_id between u.external_id and u.external_id
           order by d.external_id
           offset 0
         ) d
    where d.access_list_id is not null and (width_bucket(d.access_list_id, v_bounds) % 2 = 1) is not true
    limit 1);
end
$$;

comment on function braid_store.hidden_document(int, text[]) is
  'Return the external_id of a document of the session''s tenant that the session may not read, among those given; '
  'null if there is none.';
