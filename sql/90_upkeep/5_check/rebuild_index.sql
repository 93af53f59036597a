create or replace function braid.rebuild_index(collection text default 'default')
returns bigint
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.rewrite_index(rebuild_index.collection);
$$;

comment on function braid.rebuild_index(text) is
  'Makes the full-text index of the tenant''s part of a collection anew, from its chunks. Searches go on, on the old '
  'index; writers wait. Returns the number of chunks.';
