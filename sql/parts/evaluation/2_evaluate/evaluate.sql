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
  'configuration: has the arguments of search_json, such as {"fusion": "rrf", "options": {"boosts": [{"recency": '
  '{"half_life": "30 days"}}]}}, and mode: hybrid, full_text or semantic. Its match_count defaults to the depth of '
  'the deepest metric, and to at least 100 if a metric has no @k. Its option group_by defaults to "document" in a '
  'query set of documents. metrics: ndcg, map and mrr with or without @k, recall@k, precision@k, success@k and '
  'judged@k, defined as in trec_eval. judge: use only this judge''s judgments; null takes the median of all judges'' '
  'grades, the lower of two. details: return the rows of each query, too.\n'
  'Every judged query counts: without rows or without relevant results it counts as 0. Grades below 0 do not vote. '
  'Return an object: metrics (means), queries (each with its metrics, rows found and rows not judged), counts, '
  'warnings, latency and ranking. Its ranking has the arguments of set_ranking that make the collection rank this '
  'way. Pass two results to compare_evaluations.';
