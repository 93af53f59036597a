create or replace function braid_store.no_filter()
returns braid_store.filter
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return row('true', null, true, null, null, null)::braid_store.filter;
end
$$;

comment on function braid_store.no_filter() is
  'Return the filter that lets every chunk pass.';
