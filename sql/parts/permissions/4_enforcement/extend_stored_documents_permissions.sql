create or replace function braid_store.extend_stored_documents_permissions(
  tenant_id int,
  collection braid_store.collections,
  inputs braid_store.document_input[],
  changes braid_store.document_change[]
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
  select array_agg(ch.document_id) as ids, array_agg(i.external_id) as names,
         array_agg(i.parts -> 'access') as accesses,
         array_agg(ch.document_id) filter (where ch.status = 'updated') as kept_ids
  into v_given
  from unnest(inputs) i
  join unnest(changes) ch on ch.ordinality = i.ordinality
  where i.parts ? 'access' and ch.status <> 'unchanged';
  if v_given.ids is null then
    return;
  end if;
  perform braid_store.give_access(tenant_id, collection, v_given.ids, v_given.names, v_given.accesses);
  if v_given.kept_ids is not null then
    perform braid_store.give_chunks_access(tenant_id, v_given.kept_ids);
  end if;
end
$$;

comment on function braid_store.extend_stored_documents_permissions(int, braid_store.collections,
                                                                    braid_store.document_input[],
                                                                    braid_store.document_change[]) is
  'Give documents the list of their access, and the chunks of documents whose text stays. A document without the key '
  'keeps its list; null opens it to everyone in the tenant. Raise 22023 for access that cannot be stored, 42501 for '
  'access that does not let the session itself read.';
