create or replace function braid.import_tenant(records jsonb)
returns bigint
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_record jsonb;
begin
  -- With the caller's rights, for those who may create a collection. What is no record import_documents refuses.
  for v_record in
    select r.value -> 'collection'
    from jsonb_array_elements(case jsonb_typeof(import_tenant.records) when 'array' then import_tenant.records end) r
    where jsonb_typeof(r.value -> 'collection') = 'object'
  loop
    perform braid_store.import_collection(v_record);
  end loop;
  return braid_store.import_documents(import_tenant.records);
end
$$;

comment on function braid.import_tenant(jsonb) is
  'Stores records of export_tenant, a JSON array of them in the same order, for the session''s tenant: documents that it has '
  'under the same external_id are replaced, and searches find the same with the same scores. A collection that is not there '
  'is created, if the caller may; one with other settings is refused (leave its record out to use it as it is). Returns the '
  'number of documents.';
