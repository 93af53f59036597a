-- role: service
create or replace function braid_store.named_relation(table_name text)
returns regclass
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return to_regclass(table_name);
exception when syntax_error or invalid_name then
  return null;
end
$$;

comment on function braid_store.named_relation(text) is
  'Return the table of this schema-qualified name; null if the caller may see no such table.';
