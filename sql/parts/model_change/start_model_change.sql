-- role: administrator
-- example: braid.start_model_change(collection => 'small', embedding_model => 'another', dimensions => 4)
-- page: guide/change-embedding-model.md
create or replace function braid.start_model_change(
  collection text,
  embedding_model text,
  dimensions int,
  distance text default null,
  vector_storage text default null
)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.begin_model_change(start_model_change.collection, start_model_change.embedding_model,
                                        start_model_change.dimensions, start_model_change.distance,
                                        start_model_change.vector_storage);
$$;

comment on function braid.start_model_change(text, text, int, text, text) is
  E'Begin to move a collection to another embedding model, for all tenants, while searches and writes go on.\n'
  'embedding_model, dimensions: the new model and its dimensions. distance: cosine, inner_product or l2; null keeps '
  'the collection''s. vector_storage: vector, halfvec or binary; null keeps the collection''s, if it can be indexed '
  'at these dimensions. From now on, new chunks wait for an embedding of each model, and maintain() puts older '
  'chunks into the outbox. Workers of the new model name it in claim_embedding_jobs and store_embeddings. Searches '
  'use the old model until cut_over_model_change. See progress in braid.model_changes and braid.status. Only '
  'administrators may call it.';
