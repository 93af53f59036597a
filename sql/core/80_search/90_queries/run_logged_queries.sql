-- role: reader
create or replace function braid_calls.run_logged_queries(
  queries jsonb,
  match_count int,
  full_text_weight float8,
  semantic_weight float8,
  filters jsonb,
  collection text,
  fusion text,
  rrf_k float8,
  candidate_count int,
  min_score float8,
  match text,
  options jsonb
)
returns jsonb
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  v_found record;
  v_collection braid_store.collections;
begin
  -- A single statement gives a single snapshot. It names no table, for the reason that run_logged_search gives.
  select a.answer -> 'results' as results, a.answer -> 'stats' as stats, a.answer -> 'warnings' as warnings
  into v_found
  from braid_calls.run_queries(
         run_logged_queries.queries, run_logged_queries.match_count, run_logged_queries.full_text_weight,
         run_logged_queries.semantic_weight, run_logged_queries.filters, run_logged_queries.collection,
         run_logged_queries.fusion, run_logged_queries.rrf_k, run_logged_queries.candidate_count,
         run_logged_queries.min_score, run_logged_queries.match, run_logged_queries.options) a (answer);

  select c.* into v_collection from braid_store.collections c where c.name = run_logged_queries.collection;
  if v_collection.parts is not null then
    v_found.stats := v_found.stats || braid_store.extend_search(
      braid_store.require_tenant_id(), v_collection,
      jsonb_build_object(
        'query_text', (select string_agg(q.value ->> 'text', E'\n' order by q.ordinality)
                       from jsonb_array_elements(v_found.stats -> 'queries') with ordinality q),
        'match_count', run_logged_queries.match_count,
        'full_text_weight', run_logged_queries.full_text_weight, 'semantic_weight', run_logged_queries.semantic_weight,
        'filters', run_logged_queries.filters, 'fusion', run_logged_queries.fusion, 'rrf_k', run_logged_queries.rrf_k,
        'candidate_count', run_logged_queries.candidate_count, 'min_score', run_logged_queries.min_score,
        'match', run_logged_queries.match, 'options', run_logged_queries.options),
      jsonb_build_object('queries', jsonb_array_length(v_found.stats -> 'queries')),
      v_found.results, v_found.stats, v_found.warnings);
  end if;
  return jsonb_build_object('results', v_found.results, 'stats', v_found.stats, 'warnings', v_found.warnings);
end
$$;

comment on function braid_calls.run_logged_queries(jsonb, int, float8, float8, jsonb, text, text, float8, int, float8,
                                                   text, jsonb) is
  'Do the work of braid.logged_multi_search.';
