-- role: reader
-- standby: yes
-- example: braid.logged_search(query_text => 'discount', collection => 'small')
-- page: guide/search-log.md
create or replace function braid.logged_search(
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
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.run_logged_search(
    query_text, query_embedding, match_count, full_text_weight, semantic_weight, filters, collection, fusion, rrf_k,
    candidate_count, min_score, match, options);
$$;

comment on function braid.logged_search(text, @vector@.vector, int, float8, float8, jsonb, text, text, float8, int,
                                        float8, text, jsonb) is
  E'Run search_json and log the search, if the collection has a search log.\n'
  'Arguments and answer are as in search_json. A logged search has a search_id in stats, which later feedback about '
  'its results refers to. An administrator turns the log on. If nothing can be written, the search is answered '
  'without search_id: on a standby, in a read-only or serializable transaction, or for a request without a user. The '
  'log never causes an error.';
