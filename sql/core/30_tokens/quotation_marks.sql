create or replace function braid_store.quotation_marks()
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  -- The client's pgbraid.query_text.embedded_text has the same list.
  return '“”„"';
end
$$;

comment on function braid_store.quotation_marks() is
  'Return the characters that can enclose a phrase in a query.';
