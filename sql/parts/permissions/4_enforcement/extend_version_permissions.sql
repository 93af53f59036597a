create or replace function braid_store.extend_version_permissions(inout document jsonb, tenant_id int, former_id bigint)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  if not document ? 'access' then
    document := document || coalesce(braid_store.extend_export_document_permissions(tenant_id, null, former_id), '{}');
  end if;
end
$$;

comment on function braid_store.extend_version_permissions(jsonb, int, bigint) is
  'Give a new version the access of the former one, if the new version has no key access.';
