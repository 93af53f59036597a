create or replace function braid_store.is_stored_instant(value jsonb)
returns boolean
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_typeof(value) = 'string' and value #>> '{}' ~ E'^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}Z$'
$$;

comment on function braid_store.is_stored_instant(jsonb) is
  'Tell whether a time of a document''s validity is in the form in which writes store it.';
