-- role: reader
create or replace function braid_calls.run_logged_search(
  query_text text,
  query_embedding @vector@.vector,
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
  -- A single statement gives a single snapshot. It names no table, because an upgrade that changes tables locks the
  -- tenants first, and a session that waits for them may hold no lock on a table.
  select to_jsonb(s.results) as results, s.stats - 'warnings' as stats,
    braid_calls.search_warnings(run_logged_search.collection, s.stats) as warnings
  into v_found
  from braid_calls.run_search(
         may_be_sparse => true, query_text => run_logged_search.query_text,
         query_embedding => run_logged_search.query_embedding, match_count => run_logged_search.match_count,
         full_text_weight => run_logged_search.full_text_weight, semantic_weight => run_logged_search.semantic_weight,
         filters => run_logged_search.filters, collection => run_logged_search.collection,
         fusion => run_logged_search.fusion, rrf_k => run_logged_search.rrf_k,
         candidate_count => run_logged_search.candidate_count, min_score => run_logged_search.min_score,
         match => run_logged_search.match, options => run_logged_search.options, is_reported => true) s;

  select c.* into v_collection from braid_store.collections c where c.name = run_logged_search.collection;
  if v_collection.parts is not null then
    v_found.stats := v_found.stats || braid_store.extend_search(
      braid_store.require_tenant_id(), v_collection,
      jsonb_build_object(
        'query_text', run_logged_search.query_text, 'match_count', run_logged_search.match_count,
        'full_text_weight', run_logged_search.full_text_weight, 'semantic_weight', run_logged_search.semantic_weight,
        'filters', run_logged_search.filters, 'fusion', run_logged_search.fusion, 'rrf_k', run_logged_search.rrf_k,
        'candidate_count', run_logged_search.candidate_count, 'min_score', run_logged_search.min_score,
        'match', run_logged_search.match, 'options', run_logged_search.options),
      '{}', v_found.results, v_found.stats, v_found.warnings);
  end if;
  return jsonb_build_object('results', v_found.results, 'stats', v_found.stats, 'warnings', v_found.warnings);
end
$$;

comment on function braid_calls.run_logged_search(text, @vector@.vector, int, float8, float8, jsonb, text, text, float8,
                                                  int, float8, text, jsonb) is
  'Do the work of braid.logged_search.';
