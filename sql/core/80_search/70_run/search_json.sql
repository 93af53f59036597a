-- role: reader
-- example: braid.search_json(query_text => 'discount', collection => 'small')
-- page: guide/search.md#statistics-and-warnings
create or replace function braid.search_json(
  query_text text default null,
  query_embedding @vector@.vector default null,
  match_count int default 10,
  full_text_weight float8 default null,
  semantic_weight float8 default null,
  filters jsonb default null,
  collection text default 'default',
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
           'stats', s.stats - 'warnings',
           'warnings', braid_calls.search_warnings(collection, s.stats))
  from braid_calls.run_search(
         may_be_sparse => true, query_text => query_text, query_embedding => query_embedding,
           match_count => match_count,
         full_text_weight => full_text_weight, semantic_weight => semantic_weight, filters => filters,
           collection => collection,
         fusion => fusion, rrf_k => rrf_k, candidate_count => candidate_count, min_score => min_score, match => match,
         options => options, is_reported => true) s;
$$;

comment on function braid.search_json(text, @vector@.vector, int, float8, float8, jsonb, text, text, float8, int,
                                      float8, text, jsonb) is
  E'Run hybrid_search and return one JSON object with the rows, statistics and warnings.\n'
  'The arguments are as in hybrid_search. results: the rows, as an array. stats: the mode, the candidates of each '
  'leg, the terms searched for, whether there were too few rows (underfilled), query_time_ms and more. With the '
  'option explain, stats also tell how scores were fused. warnings: what the rows alone cannot tell, such as words '
  'that occur nowhere or chunks that wait for their embedding; each has a code and a message. Use it where a caller '
  'shows such hints, or needs the cursor of the next page with the rows.';
