create or replace function braid_store.extend_search_options()
returns table (
  name text, types text[], part text, attribute text, least_value float8, greatest_value float8, words text[], hint text
)
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return;
end
$$;

comment on function braid_store.extend_search_options() is
  'Extension point: let parts list their search options, with the columns of known_search_options. attribute is null '
  'for these options: search_options has no attribute for each, and keeps all of them in its attribute parts.';
