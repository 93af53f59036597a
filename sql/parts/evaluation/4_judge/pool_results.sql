-- role: writer
-- example: braid.pool_results(query_set => 'asked', configurations => '[{"collection": "small"}]')
-- page: guide/judgments.md#grade-by-hand
create or replace function braid.pool_results(
  query_set text,
  configurations jsonb default '[{}]',
  depth int default 10,
  judge text default null,
  seed int default 0,
  query_ids text[] default null
)
returns table (
  query_id text, query_text text, external_id text, chunk_index int, chunk_id bigint, title text, content text
)
language sql
stable
parallel unsafe
security invoker
rows 100
set search_path = pg_catalog, pg_temp
as $$
  select * from braid_calls.pool_rankings(query_set, configurations, depth, judge, seed, query_ids);
$$;

comment on function braid.pool_results(text, jsonb, int, text, int, text[]) is
  E'Return the results that a judge of a query set has to judge: the first results of several configurations, each '
  'once.\n'
  'configurations: a JSON array of configurations as evaluate takes them. depth: the number of results of each '
  'configuration, up to 1000. judge: leave out results that this judge has graded with 0 or more; null leaves out '
  'results that any judge has graded. query_ids: the queries to pool; null for all. The rows of a query are shuffled '
  'by the seed, and do not tell which configuration found them. In a query set of documents, chunk_index is null, '
  'and chunk_id, title and content come from the highest-ranked chunk. Store the grades with store_judgments.';
