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
  E'Say which vectors of tokens chunks of a collection may have, for searches with the option late_interaction.\n'
  'embedding_model: the model that makes them; null, that there are none. vector_count: how many a chunk may have at '
  'most, 1 to 512; clients pool the tokens of a chunk to so many. dimensions: their length; null takes that of the '
  'collection''s embeddings. Those that another model made, or that have another length, are not read any more. They '
  'go when others are stored for the chunk, or with it. Only administrators may call it.';
