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
  'Extension point: set the settings of parts from an exported definition on a new collection, with the caller''s '
  'rights.';
