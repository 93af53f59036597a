create or replace function braid_store.extend_export_document_permissions(
  tenant_id int,
  collection braid_store.collections,
  document_id bigint
)
returns jsonb
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    -- A document whose list is gone is exported as readable by nobody.
    select jsonb_build_object('access', coalesce(l.principals, '{}'))
    from braid_store.documents d
    left join braid_store.access_lists l on l.tenant_id = d.tenant_id and l.id = d.access_list_id
    where d.tenant_id = extend_export_document_permissions.tenant_id
      and d.id = extend_export_document_permissions.document_id and d.access_list_id is not null);
end
$$;

comment on function braid_store.extend_export_document_permissions(int, braid_store.collections, bigint) is
  'Return the access of a document; null if everyone in the tenant may read it.';
