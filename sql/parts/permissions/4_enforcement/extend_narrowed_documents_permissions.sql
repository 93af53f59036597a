create or replace function braid_store.extend_narrowed_documents_permissions(
  tenant_id int,
  collection_id int,
  external_ids text[],
  accesses jsonb[]
)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
#variable_conflict use_column
declare
  v_group record;
  v_access jsonb;
  v_principals text[];
  v_list_id bigint;
begin
  for v_group in
    select g.access_list_id, g.accesses, array_agg(g.document_id) as document_ids
    from (
      select d.id as document_id, d.access_list_id, jsonb_agg(distinct u.access) as accesses
      from unnest(extend_narrowed_documents_permissions.external_ids,
                  extend_narrowed_documents_permissions.accesses) u (external_id, access),
           lateral (
             select d.id, d.access_list_id from braid_store.documents d
             where d.tenant_id = extend_narrowed_documents_permissions.tenant_id
               and d.collection_id = extend_narrowed_documents_permissions.collection_id
               and d.external_id between u.external_id and u.external_id
             order by d.external_id
             for update
             offset 0
           ) d
      where jsonb_typeof(u.access) <> 'null'
      group by d.id, d.access_list_id
    ) g
    group by g.access_list_id, g.accesses
  loop
    -- Everyone may read a document without a list, and nobody one whose list is gone.
    v_principals := case when v_group.access_list_id is not null then coalesce((
      select l.principals from braid_store.access_lists l
      where l.tenant_id = extend_narrowed_documents_permissions.tenant_id and l.id = v_group.access_list_id), '{}') end;
    for v_access in select a.value from jsonb_array_elements(v_group.accesses) a loop
      v_access := case when jsonb_typeof(v_access) = 'array' then jsonb_path_query_array(
        v_access, '$[*] ? (@.type() == "string")') else '[]' end;
      v_principals := array(
        select p from unnest(braid_store.listed_principals(v_access)) p
        -- A longer text is no principal, so the row cannot be written.
        where octet_length(p) between 1 and 255 and (v_principals is null or p = any (v_principals)));
    end loop;
    v_list_id := (braid_store.store_access_lists(
      tenant_id, jsonb_build_array(to_jsonb(v_principals))) #>> '{0,1}')::bigint;
    if v_list_id is distinct from v_group.access_list_id then
      update braid_store.documents d
      -- Without a hash, the next write of the document changes it, though it be what was written before.
      set access_list_id = v_list_id, attribute_hash = null
      where d.tenant_id = extend_narrowed_documents_permissions.tenant_id and d.id = any (v_group.document_ids);
      perform braid_store.give_chunks_access(tenant_id, v_group.document_ids);
    end if;
  end loop;
end
$$;

comment on function braid_store.extend_narrowed_documents_permissions(int, int, text[], jsonb[]) is
  'Give documents the principals that both their list and this access have. A session that has two of them, one in '
  'each, waits for the next write of the document.';
