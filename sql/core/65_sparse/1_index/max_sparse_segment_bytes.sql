create or replace function braid_store.max_sparse_segment_bytes()
returns bigint
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select 134217728::bigint;
$$;

comment on function braid_store.max_sparse_segment_bytes() is
  'Return the approximate maximum size in bytes of a sparse segment''s terms: an eighth of what PostgreSQL can store '
  'in a column.';
