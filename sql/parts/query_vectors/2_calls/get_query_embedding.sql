-- role: reader
-- example: braid.get_query_embedding(embedded_text => 'discount', collection => 'small')
-- page: guide/query-vectors.md
create or replace function braid.get_query_embedding(embedded_text text, collection text default 'default')
returns @vector@.vector
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.read_query_embedding(get_query_embedding.embedded_text, get_query_embedding.collection);
$$;

comment on function braid.get_query_embedding(text, text) is
  E'Return the stored vector of a query''s text, made by the model that the collection''s searches use; null if there '
  'is none.\n'
  'embedded_text: the text as embedded, without operators. Use it where a function takes a vector, as in '
  'semantic_search(get_query_embedding(''price'')), and before you embed a text. Requests without a user get null.';
