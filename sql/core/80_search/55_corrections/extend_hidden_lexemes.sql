create or replace function braid_store.extend_hidden_lexemes(
  tenant_id int,
  collection braid_store.collections,
  lexemes text[]
)
returns text[]
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

comment on function braid_store.extend_hidden_lexemes(int, braid_store.collections, text[]) is
  'Extension point: return the lexemes, among given ones of the index, that the session may not learn of. It is '
  'asked in collections that have settings of parts, before an answer depends on whether the index has a word.';
