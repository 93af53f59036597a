create or replace function braid.check_index(collection text default 'default')
returns table (problem text, chunk_id bigint, lexeme text, detail text)
language sql
stable
parallel safe
security invoker
rows 10
set search_path = pg_catalog, pg_temp
as $$
  select * from braid_store.index_problems(check_index.collection);
$$;

comment on function braid.check_index(text) is
  'Compares the full-text index of the tenant''s part of a collection with its chunks, analysed anew, as one snapshot '
  'shows both. Each row is a difference; no rows: the index is right. It takes about as long as writing the chunks '
  'did, and keeps nobody waiting. braid.rebuild_index repairs what it finds.';
