create or replace function braid_store.not_overridden()
returns text
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  -- OFFSET keeps it a look-up for each row: the planner, which takes every part for small, would join.
  select 'not exists (select from braid_store.chunk_vectors o where o.tenant_id = $2 and o.collection_id = $3 '
         'and o.vector_space_id = $4 and o.chunk_id = v.chunk_id offset 0)';
$$;

comment on function braid_store.not_overridden() is
  'The SQL condition that a shard''s row v has not been written anew: $2 to $4 are tenant, collection and vector space.';
