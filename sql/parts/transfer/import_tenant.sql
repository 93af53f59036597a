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
  v_count bigint;
begin
  -- Create collections with the caller's rights, because only some callers may create one. import_documents refuses
  -- values that are no records.
  for v_record in
    select r.value -> 'collection'
    from jsonb_array_elements(case jsonb_typeof(import_tenant.records) when 'array' then import_tenant.records end) r
    where jsonb_typeof(r.value -> 'collection') = 'object'
  loop
    perform braid_calls.import_collection(v_record);
  end loop;
  v_count := braid_calls.import_documents(import_tenant.records);
  perform braid_calls.extend_import_tenant(import_tenant.records);
  return v_count;
end
$$;

comment on function braid.import_tenant(jsonb) is
  E'Store records that export_tenant returned for the session''s tenant.\n'
  'records: a JSON array of at most 10000 of these records, in the same order. A document with an existing '
  'external_id is replaced. Searches then return the same results with the same scores. A missing collection is '
  'created, if the caller may. A collection with other settings is refused with 22023; leave its record out to store '
  'the documents under the existing settings. Records of a part that is not installed are refused; the hint has the '
  'command that installs the part. Install it and import again, or leave the records out. Repeating an import stores '
  'nothing twice. Return the number of documents stored.';
