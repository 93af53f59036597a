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
           'stats', s.stats,
           'warnings', braid_store.search_warnings(collection, s.stats))
  from braid_store.run_search(
         query_text => query_text, query_embedding => query_embedding, match_count => match_count,
         full_text_weight => full_text_weight, semantic_weight => semantic_weight, filters => filters, collection => collection,
         fusion => fusion, rrf_k => rrf_k, candidate_count => candidate_count, min_score => min_score, match => match,
         options => options, is_reported => true) s;
$$;

comment on function braid.search_json(text, @vector@.vector, int, float8, float8, jsonb, text, text, float8, int, float8,
                                      text, jsonb) is
  'hybrid_search as one JSON object: results, stats (mode, candidates per leg, terms, underfilled, query_time_ms; with the option explain, how scores were fused) and '
  'warnings, each with a code and a message: what the rows alone cannot say.';
