-- role: reader
-- example: braid.list_values(collection => 'small')
-- page: guide/grep.md#list-keys-and-values
create or replace function braid.list_values(
  keys text[] default null,
  filters jsonb default null,
  collection text default 'default',
  value_count int default 10
)
returns table (key text, distinct_count bigint, minimum jsonb, maximum jsonb, top_values jsonb)
language sql
stable
parallel unsafe
security invoker
rows 20
set search_path = pg_catalog, pg_temp
as $$
  select * from braid_calls.key_values(list_values.keys, list_values.filters, list_values.collection,
                                       list_values.value_count);
$$;

comment on function braid.list_values(text[], jsonb, text, int) is
  E'List the keys by which chunks can be filtered, each with its values and how many chunks have each value.\n'
  'keys: null, the default, lists every key that occurs, up to 100. Keys are speaker, category, language, '
  'importance, occurred_at (in days, UTC) and metadata keys, also within one object, such as account.tier. filters: '
  'which chunks are counted, as in searches. value_count: how many values of each key are listed, 0 to 1000; the '
  'commonest come first.\n'
  'Keys that most chunks have come first. distinct_count: how many values the key has. minimum and maximum: the '
  'least and the greatest value, as numbers if all are numbers, otherwise compared as text and cut to 100 characters. '
  'top_values: a JSON array of objects with value and count. Each element of an array counts as a value, once for each '
  'chunk.';
