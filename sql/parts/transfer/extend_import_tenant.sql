-- role: writer
create or replace function braid_calls.extend_import_tenant(records jsonb)
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

comment on function braid_calls.extend_import_tenant(jsonb) is
  'Extension point: store the records of parts that only some callers may store, with the caller''s rights, after all '
  'others.';
