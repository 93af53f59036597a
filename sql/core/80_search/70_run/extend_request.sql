create or replace function braid_store.extend_request(inout request braid_store.search_request)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  null;
end
$$;

comment on function braid_store.extend_request(braid_store.search_request) is
  'Extension point: have parts prepare a search that gives options of parts, or whose collection has settings of '
  'parts. What they rank by goes into parts of the request, and what stats tell of their options into parts of its '
  'options; they may add boosts. Raises 22023 or 42704 for what cannot be searched for.';
