create or replace function braid_store.exact_limit(dimensions int)
returns int
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  -- The limit was measured with 384 dimensions. Reading a row costs as much as about 200 dimensions, hence 584.
  select (s.exact_rows * 584.0 / (exact_limit.dimensions + 200))::int from braid_store.vector_settings s;
$$;

comment on function braid_store.exact_limit(int) is
  'Return the number of vectors in a tenant''s part of a collection at which maintenance creates a vector shard. '
  'With fewer vectors, comparing all of them is fast enough.';
