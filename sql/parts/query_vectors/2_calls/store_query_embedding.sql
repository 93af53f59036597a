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
  E'Store the vector of a query''s text for the searches of the session''s tenant, replacing an existing one.\n'
  'embedded_text: the text that was embedded, without operators; at most 16384 bytes. Only a hash of the text is '
  'stored. embedding: the vector to store. embedding_model: the model that made the vector; a model other than the '
  'searches'' model is refused, and null is not checked.\n'
  'Store the vector again when it is used again, to keep it longer. Return whether it is stored: false if a clear, '
  'an import or a model change blocks writers at the moment. Raise 22023 if the collection stores no query vectors '
  '(set_query_embeddings).';
