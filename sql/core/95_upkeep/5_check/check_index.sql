-- role: writer
-- standby: no
-- example: braid.check_index(collection => 'small')
-- page: guide/backup.md#check-and-rebuild-the-full-text-index
create or replace function braid.check_index(collection text default 'default')
returns table (problem text, chunk_id bigint, lexeme text, detail text)
language sql
stable
parallel safe
security invoker
rows 10
set search_path = pg_catalog, pg_temp
as $$
  select * from braid_calls.index_problems(check_index.collection);
$$;

comment on function braid.check_index(text) is
  E'Check the full-text index of the tenant''s part of a collection, its index of sparse terms and its lists of '
  'metadata values: analyse its chunks again and compare.\n'
  'Each row is a difference; no rows mean that the index is right.\n'
  'problem: what is wrong. chunk_id, lexeme, detail: where it is wrong; null if that does not apply.\n'
  'It takes about as long as writing the chunks did, and makes nobody wait. Use it if you doubt search results, for '
  'example after a fault of the disk; braid.rebuild_index repairs what it finds.';
