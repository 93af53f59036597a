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
  'So many bytes the terms of a sparse segment have at most, about: an eighth of what PostgreSQL keeps in a column.';
