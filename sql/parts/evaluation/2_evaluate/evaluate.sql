-- role: writer
-- example: braid.evaluate(query_set => 'asked', configuration => '{"collection": "small"}')
-- page: guide/evaluation.md#measure
create or replace function braid.evaluate(
  query_set text,
  configuration jsonb default '{}',
  metrics text[] default '{ndcg@10,recall@10,precision@10,mrr@10,map@10,judged@10}',
  judge text default null,
  details boolean default false
)
returns jsonb
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.run_evaluation(query_set, configuration, metrics, judge, details);
$$;

comment on function braid.evaluate(text, jsonb, text[], text, boolean) is
  E'Run a search for each judged query of a query set, and measure the rankings.\n'
  'configuration: the arguments of search_json, such as {"fusion": "rrf", "options": {"boosts": [{"recency": '
  '{"half_life": "30 days"}}]}}, and mode: hybrid, full_text or semantic. match_count is the depth of the deepest '
  'metric unless given, and at least 100 with a metric without @k. In a query set of documents, the option group_by '
  'is "document" unless given. metrics: ndcg, map and mrr with or without @k, recall@k, precision@k, success@k and '
  'judged@k, as trec_eval has them. Each judged query counts, also one without rows or without anything relevant, as '
  '0. judge: whose judgments; null: the median of all judges'', the lower one of two; grades below 0 are no votes. '
  'details: with the rows of each query. Return an object: metrics (means), queries (each with its metrics, rows '
  'found and not judged), counts, warnings, latency and ranking, which is what set_ranking needs for the collection '
  'to rank so. Give two of them to compare_evaluations.';
