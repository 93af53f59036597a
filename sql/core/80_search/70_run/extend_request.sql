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
  'Extension point: let parts prepare a search that gives options of parts, or whose collection has settings of '
  'parts. They store in the request''s attribute parts what they rank by, and in its options'' attribute parts what '
  'stats report; they may add boosts. Raise 22023 or 42704 for values that cannot be searched for.';
