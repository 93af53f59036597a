create or replace function braid_store.delete_listed(tenant_id int, collection_id int, external_ids text[])
returns bigint
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_document_ids bigint[];
begin
  -- Lock in the order of external_id, as store_documents does. Look up each whole key: for a list, PostgreSQL 16 would
  -- read all documents of the tenant, because without statistics it expects one.
  v_document_ids := array(
    select d.id
    from (select distinct e.external_id collate "C" as external_id
      from unnest(delete_listed.external_ids) e (external_id)
          order by 1 offset 0) u,
         lateral (
           select d.id from braid_store.documents d
           where d.tenant_id = delete_listed.tenant_id and d.collection_id = delete_listed.collection_id
             and d.external_id between u.external_id and u.external_id
           order by d.external_id
           for update
           offset 0
         ) d);
  if v_document_ids <> '{}' then
    perform braid_store.remove_chunks(delete_listed.tenant_id, delete_listed.collection_id, array(
      select k.id
      from unnest(v_document_ids) u (document_id),
           lateral (
             select k.id from braid_store.chunks k
             where k.tenant_id = delete_listed.tenant_id and k.document_id between u.document_id and u.document_id
             order by k.document_id
             offset 0
           ) k));
    delete from braid_store.documents d
    where d.tenant_id + 0 = delete_listed.tenant_id and d.ctid = any (array(
      select d.ctid
      from unnest(v_document_ids) u (document_id),
           lateral (
             select d.ctid from braid_store.documents d
             where d.tenant_id = delete_listed.tenant_id and d.id between u.document_id and u.document_id
             order by d.id
             offset 0
           ) d));
  end if;
  return cardinality(v_document_ids);
end
$$;

comment on function braid_store.delete_listed(int, int, text[]) is
  'Delete documents of a tenant''s part of a collection with all that is derived from them. Return the number of '
  'documents deleted.';
