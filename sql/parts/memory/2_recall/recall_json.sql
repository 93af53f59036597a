-- role: reader
-- example: braid.recall_json(query_text => 'discount', collection => 'small')
-- page: guide/memory.md
create or replace function braid.recall_json(
  query_text text default null,
  query_embedding @vector@.vector default null,
  timeframe text default null,
  strategy text default 'hybrid',
  match_count int default 10,
  filters jsonb default null,
  collection text default 'default',
  time_zone text default null,
  reference_time timestamptz default null,
  full_text_weight float8 default null,
  semantic_weight float8 default null,
  fusion text default null,
  rrf_k float8 default null,
  candidate_count int default null,
  min_score float8 default null,
  match text default 'any',
  options jsonb default null
)
returns jsonb
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_build_object(
           'results', to_jsonb(s.results),
           'stats', (s.stats #- '{recall,warnings}') - 'warnings',
           'warnings', (s.stats #> '{recall,warnings}') || braid_calls.search_warnings(collection, s.stats))
  from braid_calls.run_recall(
         query_text => query_text, query_embedding => query_embedding, timeframe => timeframe, strategy => strategy,
         match_count => match_count, filters => filters, collection => collection, time_zone => time_zone,
         reference_time => reference_time, full_text_weight => full_text_weight, semantic_weight => semantic_weight,
         fusion => fusion, rrf_k => rrf_k, candidate_count => candidate_count, min_score => min_score, match => match,
         options => options, is_reported => true) s;
$$;

comment on function braid.recall_json(text, @vector@.vector, text, text, int, jsonb, text, text, timestamptz, float8,
                                      float8, text, float8, int, float8, text, jsonb) is
  E'Run recall and return one JSON object: results, stats and warnings, as in search_json.\n'
  'The arguments are as in recall. stats.recall has the strategy that was used and the reason, searched_text, and '
  'the timeframe as ranges (null for all time). Use it to see how a question was understood.';
