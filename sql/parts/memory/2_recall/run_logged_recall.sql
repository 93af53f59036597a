-- role: reader
create or replace function braid_calls.run_logged_recall(
  query_text text,
  query_embedding @vector@.vector,
  timeframe text,
  strategy text,
  match_count int,
  filters jsonb,
  collection text,
  time_zone text,
  reference_time timestamptz,
  full_text_weight float8,
  semantic_weight float8,
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
  -- Use one statement, and so one snapshot. It names no table (see run_logged_search).
  select to_jsonb(s.results) as results, (s.stats #- '{recall,warnings}') - 'warnings' as stats,
         (s.stats #> '{recall,warnings}') || braid_calls.search_warnings(run_logged_recall.collection,
           s.stats) as warnings
  into v_found
  from braid_calls.run_recall(
         query_text => run_logged_recall.query_text, query_embedding => run_logged_recall.query_embedding,
         timeframe => run_logged_recall.timeframe, strategy => run_logged_recall.strategy,
         match_count => run_logged_recall.match_count, filters => run_logged_recall.filters,
         collection => run_logged_recall.collection, time_zone => run_logged_recall.time_zone,
         reference_time => run_logged_recall.reference_time, full_text_weight => run_logged_recall.full_text_weight,
         semantic_weight => run_logged_recall.semantic_weight, fusion => run_logged_recall.fusion,
         rrf_k => run_logged_recall.rrf_k, candidate_count => run_logged_recall.candidate_count,
         min_score => run_logged_recall.min_score, match => run_logged_recall.match,
         options => run_logged_recall.options, is_reported => true) s;

  select c.* into v_collection from braid_store.collections c where c.name = run_logged_recall.collection;
  if v_collection.parts is not null then
    -- Log the text and the filter as searched: the timeframe is in the filter.
    v_found.stats := v_found.stats || braid_store.extend_search(
      braid_store.require_tenant_id(), v_collection,
      jsonb_build_object(
        'query_text', v_found.stats #> '{recall,searched_text}', 'match_count', run_logged_recall.match_count,
        'full_text_weight', run_logged_recall.full_text_weight, 'semantic_weight', run_logged_recall.semantic_weight,
        'filters', braid_store.time_filter(run_logged_recall.filters,
          braid_store.period_ranges(v_found.stats #> '{recall,timeframe}')),
        'fusion', run_logged_recall.fusion, 'rrf_k', run_logged_recall.rrf_k,
        'candidate_count', run_logged_recall.candidate_count, 'min_score', run_logged_recall.min_score,
        'match', run_logged_recall.match, 'options', run_logged_recall.options),
      jsonb_strip_nulls(jsonb_build_object('recall', nullif(jsonb_strip_nulls(jsonb_build_object(
        'strategy', nullif(run_logged_recall.strategy, 'hybrid'),
        'timeframe', case when lower(btrim(run_logged_recall.timeframe) collate "C") = 'auto'
          then to_jsonb('auto'::text)
                          when run_logged_recall.timeframe is not null then to_jsonb(true) end)), '{}'))),
      v_found.results, v_found.stats, v_found.warnings);
  end if;
  return jsonb_build_object('results', v_found.results, 'stats', v_found.stats, 'warnings', v_found.warnings);
end
$$;

comment on function braid_calls.run_logged_recall(text, @vector@.vector, text, text, int, jsonb, text, text,
                                                  timestamptz, float8, float8, text, float8, int, float8, text, jsonb)
                                                  is
  'Do the work of braid.logged_recall.';
