-- role: writer
-- example: braid.store_query_embedding(embedded_text => 'discount', embedding => '[1,0,0]', collection => 'small')
-- page: guide/query-vectors.md
create or replace function braid.store_query_embedding(
  embedded_text text,
  embedding @vector@.vector,
  collection text default 'default',
  embedding_model text default null
)
returns boolean
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.write_query_embedding(store_query_embedding.embedded_text, store_query_embedding.embedding,
                                           store_query_embedding.collection, store_query_embedding.embedding_model);
$$;

comment on function braid.store_query_embedding(text, @vector@.vector, text, text) is
  E'Store the vector of a query''s text for the searches of the session''s tenant, in place of one that is there.\n'
  'embedded_text: the text of which the vector was made, without operators; at most 16384 bytes. The text itself is '
  'not kept, only its hash. embedding: the vector. embedding_model: the model that made the vector; another model '
  'than the searches'' is refused, null is not checked. Store it again when it is used again: then it is kept for '
  'longer. Return whether it is stored: false if a clear, an import or a model change keeps writers waiting just '
  'then. Raise 22023 if the collection stores none (set_query_embeddings).';
