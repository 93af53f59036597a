create or replace function braid_store.exact_limit(dimensions int)
returns int
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  -- Measured at 384; a row costs as much as about 200 dimensions.
  select (s.exact_rows * 584.0 / (exact_limit.dimensions + 200))::int from braid_store.vector_settings s;
$$;

comment on function braid_store.exact_limit(int) is
  'From how many vectors on a tenant''s part of a collection gets a vector shard.';
