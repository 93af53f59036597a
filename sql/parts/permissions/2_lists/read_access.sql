-- role: writer
create or replace function braid_calls.read_access(external_id text, collection text)
returns text[]
language plpgsql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
declare
  v_tenant_id int := braid_store.require_tenant_id();
  v_collection braid_store.collections := braid_store.find_collection(read_access.collection);
  v_list_id bigint;
begin
  if braid_store.session_is_anonymous() then
    raise exception 'a request without a user may read the public tenant, but not who may read its documents'
      using errcode = '42501', hint = 'Send a user''s token that has the claim of a tenant.';
  end if;
  select d.access_list_id into v_list_id
  from braid_store.documents d
  where d.tenant_id = v_tenant_id and d.collection_id = v_collection.id and d.external_id = read_access.external_id;
  if not found then
    raise exception 'document % does not exist in collection "%"',
                    coalesce('"' || left(read_access.external_id, 255) || '"', 'null'), v_collection.name
      using errcode = '42704', hint = 'Give the external_id of a document; braid.list_documents lists them.';
  elsif v_list_id is null then
    return null;
  end if;
  return coalesce((select l.principals from braid_store.access_lists l
                   where l.tenant_id = v_tenant_id and l.id = v_list_id), '{}');
end
$$;

comment on function braid_calls.read_access(text, text) is 'Do the work of braid.document_access.';
