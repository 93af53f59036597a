-- role: reader
-- standby: yes
-- example: braid.logged_multi_search(queries => '["discount"]', collection => 'small')
-- page: guide/search-log.md
create or replace function braid.logged_multi_search(
  queries jsonb,
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
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.run_logged_queries(
    queries, match_count, full_text_weight, semantic_weight, filters, collection, fusion, rrf_k, candidate_count,
      min_score, match,
    options);
$$;

comment on function braid.logged_multi_search(jsonb, int, float8, float8, jsonb, text, text, float8, int, float8, text,
                                              jsonb) is
  E'Run multi_search and log the search, if the collection has a search log.\n'
  'Arguments and answer are as in multi_search, with search_id in stats if the search was logged, as with '
  'braid.logged_search. The log has one row for all queries, with the mode multi and all texts, one per line.';
