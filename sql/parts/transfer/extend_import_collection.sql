-- role: writer
create or replace function braid_calls.extend_import_collection(collection text, definition jsonb)
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

comment on function braid_calls.extend_import_collection(text, jsonb) is
  'Extension point: give a new collection the settings of parts that an exported definition has, with the rights of '
  'the caller.';
