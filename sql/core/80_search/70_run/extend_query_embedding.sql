create or replace function braid_store.extend_query_embedding(
  tenant_id int,
  collection braid_store.collections,
  embedded_text text,
  cursor text
)
returns table (embedding @vector@.vector, mark text)
language plpgsql
stable
parallel unsafe
security invoker
rows 1
set search_path = pg_catalog, pg_temp
as $$
begin
  return;
end
$$;

comment on function braid_store.extend_query_embedding(int, braid_store.collections, text, text) is
  'Extension point: let parts give a vector for a search''s text, if the search has none; return no row without a '
  'vector. The first row counts. cursor is the option of that name. mark begins with the word by which stats name the '
  'source, such as stored; behind a colon, it may have hashes for the next cursor. Raise 22023 if the vector changed '
  'since the previous page.';
