create or replace function braid_store.extend_tried_ranking_static_embeddings(
  collection braid_store.collections,
  old_parts jsonb
)
returns void
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  if collection.parts ->> 'static_embedder' <> coalesce(old_parts ->> 'static_embedder', '') then
    perform braid_store.check_static_embedder(collection);
  end if;
end
$$;

comment on function braid_store.extend_tried_ranking_static_embeddings(braid_store.collections, jsonb) is
  'Raise an error if a search is to rank with a static embedder that the collection cannot use.';
