create or replace function braid_store.extend_lost_documents(tenant_id int, collection_id int, external_ids text[])
returns void
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  null;
end
$$;

comment on function braid_store.extend_lost_documents(int, int, text[]) is
  'Extension point: raise if a document of a batch can be neither inserted nor found, because the session may not '
  'read it. Otherwise another session has just deleted one, and the batch is tried again.';
