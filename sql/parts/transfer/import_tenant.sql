-- role: writer
-- example: braid.import_tenant(records => '[]')
-- page: guide/move-tenant.md
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
  -- Runs with the caller's rights, because only some callers may create a collection. What is not a record is refused
  -- by import_documents.
  for v_record in
    select r.value -> 'collection'
    from jsonb_array_elements(case jsonb_typeof(import_tenant.records) when 'array' then import_tenant.records end) r
    where jsonb_typeof(r.value -> 'collection') = 'object'
  loop
    perform braid_calls.import_collection(v_record);
  end loop;
  return braid_calls.import_documents(import_tenant.records);
end
$$;

comment on function braid.import_tenant(jsonb) is
  E'Store records that export_tenant gave for the session''s tenant.\n'
  'records: a JSON array of them, in the same order, at most 10000. A document with an external_id that is there '
  'already is replaced. Searches then find the same with the same scores. A missing collection is created, if the '
  'caller may. A collection with other settings is refused with 22023; leave its record out to store the documents '
  'under the settings that are there. Records of a part that is not installed are refused, with the command that '
  'brings the part; import again then, or leave them out. Nothing is stored twice. Return the number of documents '
  'stored.';
