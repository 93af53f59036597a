-- Made of options.json by: make generate
create or replace function braid_store.extend_search_options_decompounding()
returns table (
  name text, types text[], part text, attribute text, least_value float8, greatest_value float8, words text[], hint text
)
language plpgsql
immutable
parallel safe
security invoker
rows 60
set search_path = pg_catalog, pg_temp
as $$
begin
  return query
  values
    ('decompounding', '{string}'::text[], 'query', null::text, null::float8, null::float8, '{off,auto}'::text[],
     'Use "auto" or "off".');
end
$$;

comment on function braid_store.extend_search_options_decompounding() is
  'List the options of searches that the part adds, as known_search_options does.';
