create or replace function braid_store.extend_reported_terms(inout stats jsonb, request braid_store.search_request)
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

comment on function braid_store.extend_reported_terms(jsonb, braid_store.search_request) is
  'Extension point: leave out of the stats of a search what the session may not know of the query''s words. It is '
  'asked in collections that have settings of parts.';
