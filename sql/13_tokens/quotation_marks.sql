create or replace function braid_store.quotation_marks()
returns text
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  -- The client's pgbraid.query_text.embedded_text has the same list.
  select '“”„"';
$$;

comment on function braid_store.quotation_marks() is
  'Returns the characters that can stand around a phrase of a query.';
