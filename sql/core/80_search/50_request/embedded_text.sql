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
  E'Return what of a query is to be embedded: its words, without operators and without what must not be there.\n'
  'query_text: the text of the query. options, collection: as the search has them, since the language says which '
  'words are stop words; with {"operators": false} all of the text is embedded.\n'
  'The text is empty if the query only excludes; null gives null. Use it wherever you embed a query yourself, so '
  'that each program sends the same vector for it, and before you store its vector.';
