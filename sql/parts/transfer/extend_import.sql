create or replace function braid_store.extend_import(tenant_id int, records jsonb)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  null;
end
$$;

comment on function braid_store.extend_import(int, jsonb) is
  'Extension point: store the records of parts that are among exported records, after the documents.';
