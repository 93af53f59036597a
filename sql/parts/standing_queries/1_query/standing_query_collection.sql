create or replace function braid_store.standing_query_collection(collection braid_store.collections, options jsonb)
returns braid_store.collections
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_collection braid_store.collections := collection;
begin
  if options ->> 'language' is not null then
    v_collection.text_config := braid_store.language_config(options ->> 'language', collection.text_config);
  end if;
  return v_collection;
end
$$;

comment on function braid_store.standing_query_collection(braid_store.collections, jsonb) is
  'Return a collection with the language of a standing query''s options.';
