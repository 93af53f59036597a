create or replace function braid_store.extend_own_queries(
  tenant_id int,
  collection_id int,
  vector_space_id int,
  query_count int
)
returns table (source text, embedding @vector@.vector)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return;
end
$$;

comment on function braid_store.extend_own_queries(int, int, int, int) is
  'Extension point: let parts return vectors of a tenant''s queries, at most query_count, to measure its vector '
  'indexes with. source: a name that the part''s manifest lists in own_queries.';
