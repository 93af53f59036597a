create or replace function braid_store.extend_check_settings_static_embeddings(collection braid_store.collections)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  if collection.parts ->> 'static_embedder' is not null then
    -- The lock keeps the embedder from being changed before the collection names it.
    perform from braid_store.static_embedders e where e.name = collection.parts ->> 'static_embedder' for key share;
    perform braid_store.check_static_embedder(collection);
  end if;
end
$$;

comment on function braid_store.extend_check_settings_static_embeddings(braid_store.collections) is
  'Raise an error if a collection is given a static embedder that it cannot use. Keep the embedder from being changed '
  'until the transaction ends.';
