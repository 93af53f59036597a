create or replace function braid_store.extend_options(inout options jsonb)
language plpgsql
immutable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  null;
end
$$;

comment on function braid_store.extend_options(jsonb) is
  'Extension point: check the options of parts that a search gives, and return them with their defaults. options has '
  'only the options that extend_search_options lists, by name and with valid types.';
