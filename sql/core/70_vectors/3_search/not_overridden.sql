create or replace function braid_store.not_overridden()
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  -- offset 0 forces a look-up for each row. The planner assumes that every table is small, and would join instead.
  return 'not exists (select from braid_store.chunk_vectors o where o.tenant_id = $2 and o.collection_id = $3 '
         'and o.vector_space_id = $4 and o.chunk_id = v.chunk_id offset 0)';
end
$$;

comment on function braid_store.not_overridden() is
  'Return an SQL condition on a row v of a shard that holds if chunk_vectors has no newer vector of its chunk. In '
  'the condition, $2 is the tenant, $3 the collection and $4 the vector space.';
