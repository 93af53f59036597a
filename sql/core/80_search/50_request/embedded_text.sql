-- role: reader
-- example: braid.embedded_text(query_text => 'discount', collection => 'small')
-- page: guide/search.md#embed-the-query-yourself
create or replace function braid.embedded_text(
  query_text text,
  options jsonb default null,
  collection text default 'default'
)
returns text
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.read_embedded_text(embedded_text.query_text, embedded_text.options, embedded_text.collection);
$$;

comment on function braid.embedded_text(text, jsonb, text) is
  E'Return the part of a query that is to be embedded: its words, without operators and without excluded words.\n'
  'query_text: the text of the query, as given to the search. options, collection: the same values as in the search. '
  'They set the language and so the stop words; with {"operators": false} all of the text is embedded.\n'
  'The text is empty if the query only excludes; null returns null. Use it wherever you embed a query yourself, and '
  'before you store a query''s vector, so that all programs send the same vector for it.';
