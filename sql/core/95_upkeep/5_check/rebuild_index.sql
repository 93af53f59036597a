-- role: writer
-- example: braid.rebuild_index(collection => 'small')
-- page: guide/backup.md#check-and-rebuild-the-full-text-index
create or replace function braid.rebuild_index(collection text default 'default')
returns bigint
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.rewrite_index(rebuild_index.collection);
$$;

comment on function braid.rebuild_index(text) is
  E'Build the full-text index of the tenant''s part of a collection, and its index of sparse terms, again from its '
  'chunks.\n'
  'Searches go on with the old index; writers wait until the transaction ends. Use it if braid.check_index reports '
  'problems. Return the number of chunks indexed.';
