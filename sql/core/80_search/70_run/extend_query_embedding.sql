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
  'Extension point: lets parts give the vector of a search''s text, which has none; no row if they have none. '
  'cursor: the option. mark: what the next cursor keeps of it, hashes of the text and the vector, empty without a '
  'cursor. Raises 22023 if the page before had another vector.';
