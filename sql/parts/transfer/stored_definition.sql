-- role: writer
create or replace function braid_calls.stored_definition(collection text)
returns jsonb
language sql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.collection_definition(c)
  from braid_store.collections c
  where c.name = stored_definition.collection and braid_calls.login_is_known();
$$;

comment on function braid_calls.stored_definition(text) is
  'Return the definition of the collection with this name, in the form of collection_definition(); null if there is '
  'none.';
