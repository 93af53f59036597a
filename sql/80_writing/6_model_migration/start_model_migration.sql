create or replace function braid.start_model_migration(
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
  select braid_store.insert_migration(start_model_migration.collection, start_model_migration.embedding_model,
                                      start_model_migration.dimensions, start_model_migration.distance,
                                      start_model_migration.vector_storage);
$$;

comment on function braid.start_model_migration(text, text, int, text, text) is
  'Begins to move a collection, for all tenants, to another embedding model: new chunks wait for an embedding of each of the '
  'two, maintain() puts those that are there into the outbox, and workers of the new model name it in '
  'claim_embedding_jobs and store_embeddings. Searches use the old one until cut_over_model_migration. Distance and '
  'vector_storage are the collection''s if not given, the latter if an index can hold it at these dimensions. For '
  'administrators.';
