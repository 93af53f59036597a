create or replace function braid_store.extend_hidden_word(
  tenant_id int,
  collection braid_store.collections,
  word text,
  lexeme text
)
returns boolean
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return null;
end
$$;

comment on function braid_store.extend_hidden_word(int, braid_store.collections, text, text) is
  'Extension point: tell whether the session may not learn that a word is in the collection. It is asked of words '
  'near to misspelt ones, in collections that have settings of parts.';
