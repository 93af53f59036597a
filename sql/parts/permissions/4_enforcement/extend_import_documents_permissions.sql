create or replace function braid_store.extend_import_documents_permissions(
  tenant_id int,
  collection braid_store.collections,
  document_ids bigint[],
  documents jsonb[]
)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_given record;
begin
  select array_agg(u.document_id) as ids, array_agg(u.document ->> 'external_id') as names,
         array_agg(u.document -> 'access') as accesses,
         min(left(u.document ->> 'external_id', 100)) filter (where jsonb_typeof(u.document -> 'access') <> 'array')
           as wrong
  into v_given
  from unnest(document_ids, documents) u (document_id, document)
  where u.document ? 'access';
  if v_given.wrong is not null then
    raise exception 'access of document "%" is no array', v_given.wrong
      using errcode = '22023', hint = 'Send the records unchanged, as braid.export_tenant returned them.';
  elsif v_given.ids is not null then
    perform braid_store.give_access(tenant_id, collection, v_given.ids, v_given.names, v_given.accesses),
            braid_store.give_chunks_access(tenant_id, v_given.ids);
  end if;
end
$$;

comment on function braid_store.extend_import_documents_permissions(int, braid_store.collections, bigint[], jsonb[]) is
  'Give imported documents and their chunks the access that they were exported with.';
