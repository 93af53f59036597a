create or replace function braid_store.extend_lost_documents_permissions(tenant_id int, collection_id int,
                                                                         external_ids text[])
returns void
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_hidden text := braid_store.hidden_document(collection_id, external_ids);
begin
  if v_hidden is not null then
    raise exception 'external_id "%" cannot be written by this session', left(v_hidden, 100)
      using errcode = '42501',
            hint = 'Use another external_id, or ask for one of the principals that may read the document.';
  end if;
end
$$;

comment on function braid_store.extend_lost_documents_permissions(int, int, text[]) is
  'Raise 42501 if the session may not read a document of its batch.';
