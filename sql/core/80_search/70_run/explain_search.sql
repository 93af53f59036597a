-- role: reader
-- example: braid.explain_search(query_text => 'discount', collection => 'small')
-- page: guide/explain.md
create or replace function braid.explain_search(
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
  options jsonb default null,
  external_id text default null
)
returns jsonb
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set extra_float_digits = 1
as $$
  select jsonb_build_object(
           'query', jsonb_build_object(
             'text', explain_search.query_text, 'terms', s.stats -> 'term_statistics',
             'dropped_terms', s.stats -> 'dropped_terms', 'corrections', s.stats -> 'corrections',
             'cut', s.stats -> 'query_cut')
                    || case when s.stats ? 'query_embedding'
                            then jsonb_build_object('embedding', s.stats -> 'query_embedding') else '{}' end,
           'legs', jsonb_build_object(
             'full_text', jsonb_build_object('candidates', s.stats -> 'full_text_candidates',
                                             'postings', s.stats -> 'postings', 'segments', s.stats -> 'segments'),
             'semantic', jsonb_build_object('candidates', s.stats -> 'semantic_candidates',
                                            'mode', s.stats -> 'semantic_mode'))
                   || case when s.stats ? 'sparse_candidates'
                           then jsonb_build_object('sparse', jsonb_build_object(
                                  'candidates', s.stats -> 'sparse_candidates',
                                  'terms', s.stats -> 'sparse_term_weights'))
                           else '{}' end,
           'fusion', s.stats -> 'fusion',
           'spread', s.stats -> 'spread',
           'results', s.stats -> 'rows',
           'document', s.stats -> 'document',
           'statistics', jsonb_build_object(
             'query_time_ms', s.stats -> 'query_time_ms', 'total_candidates', s.stats -> 'total_candidates',
             'fusion_method', s.stats -> 'fusion_method', 'filtered_results', s.stats -> 'filtered_results',
             'returned_results', s.stats -> 'returned_results'),
           'timings', s.stats -> 'timings',
           'warnings', braid_calls.search_warnings(explain_search.collection, s.stats))
  from braid_calls.run_search(
         may_be_sparse => true, query_text => query_text, query_embedding => query_embedding,
           match_count => match_count,
         full_text_weight => full_text_weight, semantic_weight => semantic_weight, filters => filters,
           collection => collection,
         fusion => fusion, rrf_k => rrf_k, candidate_count => candidate_count, min_score => min_score, match => match,
         options => options, is_reported => true, is_explained => true,
         explained_id => explain_search.external_id) s;
$$;

comment on function braid.explain_search(text, @vector@.vector, int, float8, float8, jsonb, text, text, float8, int,
                                         float8, text, jsonb, text) is
  E'Run hybrid_search and explain it, as one JSON object: what was found, how it was ranked, and why.\n'
  'The arguments are as in hybrid_search. query: the terms searched for, and corrections. legs: what full text, '
  'semantic and sparse search found, and how. fusion: all numbers that the fusion used. results: an explanation of '
  'each row. It gives the score as an expression that is exact to the last bit, and what each word adds to BM25 and '
  'each term to the sparse score. statistics, timings (in milliseconds) and warnings are as in search_json. '
  'external_id: a document to explain; document in the result then tells what became of it, and why. The outcome is '
  'one of: absent, filtered (by which condition), demands_not_met, no_match, below_leg_min_score, not_a_candidate '
  '(with its rank in each leg), below_min_relevance, below_min_score, merged, collapsed, grouped (into what), '
  'not_shown, returned. Use it to find out why a document is, or is not, among the results. It is slower than a '
  'search.';
