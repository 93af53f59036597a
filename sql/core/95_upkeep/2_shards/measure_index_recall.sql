-- role: writer
-- example: braid.measure_index_recall(collection => 'small')
-- page: guide/vector-index.md
create or replace function braid.measure_index_recall(
  collection text default 'default',
  query_count int default 100,
  set_ef_search boolean default false
)
returns jsonb
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.measure_indexes(measure_index_recall.collection, measure_index_recall.query_count,
                                     measure_index_recall.set_ef_search);
$$;

comment on function braid.measure_index_recall(text, int, boolean) is
  E'Measure how much of what an exact search finds the vector index of the tenant''s part of a collection finds, and '
  'how widely it should be searched.\n'
  'Asked are the last of the stored vectors of queries, then those of query sets; if there are fewer than 30, also '
  'queries made of stored vectors. query_count: of how many, 10 to 1000; fewer where that would compare more than 100 '
  'million vectors. set_ef_search: true lets searches use the widths suggested, until the index is made anew; it '
  'takes 30 queries at least. Return a JSON object: indexes has for each vector shard queries (of which kind), '
  'index_recall_10 and index_recall_100 (the share of the 10, and of the 100, nearest found at ef_search and '
  'ef_search_100) with their standard errors, the same for other widths, and suggested_ef_search, '
  'suggested_ef_search_100 and suggested_ef_search_fused (for the 10 nearest in searches that rank by full text as '
  'well); null: the index is not good enough, and searches are exact. No indexes: all vectors are compared. The '
  'result is kept for monitors.';
