create or replace function braid.facets(
  keys text[],
  query_text text default null,
  filters jsonb default null,
  collection text default 'default',
  match text default 'any',
  value_count int default 10,
  options jsonb default null
)
returns table (key text, value jsonb, count bigint)
language sql
stable
parallel unsafe
security invoker
rows 100
set search_path = pg_catalog, pg_temp
as $$
  select * from braid_store.count_values(facets.keys, facets.query_text, facets.filters, facets.collection, facets.match,
                                         facets.value_count, facets.options);
$$;

comment on function braid.facets(text[], text, jsonb, text, text, int, jsonb) is
  'How many chunks have each value of up to 20 keys: speaker, category, language, importance, external_id, source_uri or '
  'metadata keys, as in filters. Counted are all chunks that full_text_search with these arguments finds, however many, or '
  'all that the filters match if there is no query_text. For each key the value_count commonest values (1 to 10000), ties '
  'by value. Each element of an array counts as a value; objects and nulls do not.';
