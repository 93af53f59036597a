create or replace function braid.drop_collection(collection text)
returns boolean
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.remove_collection(drop_collection.collection);
$$;

comment on function braid.drop_collection(text) is
  'Removes a collection with what every tenant stored in it: it is gone at once, and maintain() frees its space. False if '
  'there is none of that name. For administrators; a tenant empties its own part with clear_collection.';
