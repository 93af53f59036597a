-- role: reader
-- example: braid.recall(query_text => 'discount', collection => 'small')
-- page: guide/memory.md
create or replace function braid.recall(
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
returns setof braid_store.search_result
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select r.*
  from braid_calls.run_recall(
         query_text => query_text, query_embedding => query_embedding, timeframe => timeframe, strategy => strategy,
         match_count => match_count, filters => filters, collection => collection, time_zone => time_zone,
         reference_time => reference_time, full_text_weight => full_text_weight, semantic_weight => semantic_weight,
         fusion => fusion, rrf_k => rrf_k, candidate_count => candidate_count, min_score => min_score, match => match,
         options => options) s,
       unnest(s.results) r;
$$;

comment on function braid.recall(text, @vector@.vector, text, text, int, jsonb, text, text, timestamptz, float8, float8,
                                 text, float8, int, float8, text, jsonb) is
  E'Search for what was said and when: hybrid_search with a timeframe.\n'
  'Return the best match_count chunks, best first, in rows as in hybrid_search. timeframe: limits occurred_at. It '
  'takes words (last week, the last 3 days, between March and May 2025), ISO 8601 (2025-03, 2025-01-01/P1M, P7D), a '
  'range, or several of these with ; between them. With auto, it is taken out of query_text; null, the default, is '
  'all time. time_zone: the time zone of days and hours; null takes the session''s. reference_time: the time from '
  'which words such as yesterday count; null takes now. strategy: takes hybrid (the default), full_text, semantic, '
  'prefilter or auto. With prefilter, the best candidate_count chunks by full text (100 by default) are ranked by '
  'similarity. With auto, the search is hybrid, and the query chooses what ranks first, as by the option strategy.\n'
  'All other arguments are as in hybrid_search.';
