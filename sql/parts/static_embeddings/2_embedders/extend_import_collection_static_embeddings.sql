-- role: writer
create or replace function braid_calls.extend_import_collection_static_embeddings(collection text, definition jsonb)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  -- A new collection of a static embedder's model has the setting, which the exported one may not have.
  perform braid.set_ranking(extend_import_collection_static_embeddings.collection,
                            jsonb_build_object('static_embedder', definition -> 'static_embedder'));
end
$$;

comment on function braid_calls.extend_import_collection_static_embeddings(text, jsonb) is
  'Set the static embedder of a new collection, or none.';
