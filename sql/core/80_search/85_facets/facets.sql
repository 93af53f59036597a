-- role: reader
-- example: braid.facets(keys => '{speaker}', collection => 'small')
-- page: guide/filters.md#count-values-facets
create or replace function braid.facets(
  keys text[] default null,
  query_text text default null,
  filters jsonb default null,
  collection text default 'default',
  match text default 'any',
  value_count int default 10,
  options jsonb default null,
  aggregations jsonb default null
)
returns table (key text, value jsonb, count bigint)
language sql
stable
parallel unsafe
security invoker
rows 100
set search_path = pg_catalog, pg_temp
as $$
  select * from braid_calls.count_values(facets.keys, facets.query_text, facets.filters, facets.collection,
    facets.match, facets.value_count, facets.options, facets.aggregations);
$$;

comment on function braid.facets(text[], text, jsonb, text, text, int, jsonb, jsonb) is
  E'Count how many chunks have each value of some keys, and numbers by ranges and dates.\n'
  'The counts cover all chunks that full_text_search finds with these arguments, not only the first rows. keys: up to '
  '20 names out of speaker, category, language, importance, external_id, source_uri and metadata keys, as in '
  'filters. query_text, filters: which chunks are counted; without query_text, all chunks that filters match. match: '
  'any, all or a share such as 75%. value_count: how many values are returned for each key, 10 by default, up to '
  '10000; the commonest come first, equal counts are ordered by value. options: the options of full_text_search that '
  'decide what is found, such as language. aggregations: up to 20 names, each with what to count under it, '
  'such as {"prices": {"key": "price", "interval": 10}}; docs/guide/aggregations.md has all fields. The value of such '
  'a row is an object, such as a bucket, or null for chunks without a value.\n'
  'Each element of an array counts as a value, and so does each value in an array of objects, once for each chunk. '
  'Each speaker of a chunk counts under speaker. Objects and nulls do not count.';
