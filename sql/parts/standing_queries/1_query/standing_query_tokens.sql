create or replace function braid_store.standing_query_tokens(
  collection braid_store.collections,
  query_text text,
  options jsonb
)
returns braid_store.query_token[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return braid_store.query_tokens(
    (braid_store.searched_text(query_text, coalesce((options -> 'operators')::boolean, true))).searched,
    collection.text_config, collection.fold_diacritics);
end
$$;

comment on function braid_store.standing_query_tokens(braid_store.collections, text, jsonb) is
  'Return the tokens of a standing query''s text, as a search reads it. collection: with the language of the query.';
