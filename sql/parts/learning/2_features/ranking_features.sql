-- role: writer
-- example: braid.ranking_features(query_set => 'asked', configuration => '{"collection": "small"}')
-- page: guide/learning-to-rank.md#learn-a-model
create or replace function braid.ranking_features(
  query_set text,
  configuration jsonb default '{}',
  judge text default null,
  after text default null,
  query_count int default 100
)
returns table (
  query_id text, place int, external_id text, chunk_index int, grade int, score float8, features jsonb
)
language sql
stable
parallel unsafe
security invoker
rows 10000
set search_path = pg_catalog, pg_temp
as $$
  select * from braid_calls.gather_ranking_features(query_set, configuration, judge, after, query_count);
$$;

comment on function braid.ranking_features(text, jsonb, text, text, int) is
  E'Return training data for a ranking model: the candidates of judged queries, with their features and grades.\n'
  'configuration, judge: used as by evaluate; options that rank after a model have no effect. after, query_count: a '
  'page of queries in the order of their ids, 1 to 1000 queries; after is null for the first page. place, score: the '
  'rank and score of a candidate without a model. features: an object of the numbers that a search gives to a model. '
  'grade: the judges'' grade; null if it is not judged.\n'
  'Each row is a candidate. Relevant documents that were not found come last, with place and features null.';
