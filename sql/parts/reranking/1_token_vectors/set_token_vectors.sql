-- role: administrator
-- example: braid.set_token_vectors(collection => 'small', embedding_model => 'test', vector_count => 4)
-- page: guide/token-vectors.md
create or replace function braid.set_token_vectors(
  collection text,
  embedding_model text,
  vector_count int default 32,
  dimensions int default null
)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.update_token_vectors(set_token_vectors.collection, set_token_vectors.embedding_model,
                                          set_token_vectors.vector_count, set_token_vectors.dimensions);
$$;

comment on function braid.set_token_vectors(text, text, int, int) is
  E'Set which token vectors the chunks of a collection may have, for searches with the option late_interaction.\n'
  'embedding_model: the model that makes them; null for none. vector_count: the most vectors per chunk, 1 to 512; '
  'clients pool the tokens of a chunk to fit. dimensions: their length; null takes the length of the collection''s '
  'embeddings. Stored vectors of another model or another length are no longer read. They are deleted when others '
  'are stored for the chunk, or with the chunk. Only administrators may call it.';
