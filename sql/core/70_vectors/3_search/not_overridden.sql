create or replace function braid_store.not_overridden()
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  -- offset 0 keeps this a look-up for each row. The planner, which takes every table for small, would join instead.
  return 'not exists (select from braid_store.chunk_vectors o where o.tenant_id = $2 and o.collection_id = $3 '
         'and o.vector_space_id = $4 and o.chunk_id = v.chunk_id offset 0)';
end
$$;

comment on function braid_store.not_overridden() is
  'An SQL condition on a row v of a shard: chunk_vectors has no newer vector of its chunk. In it, $2 is the tenant, '
  '$3 the collection and $4 the vector space.';
