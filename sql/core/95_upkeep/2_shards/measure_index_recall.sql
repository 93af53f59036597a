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
  E'Measure the index recall of the tenant''s vector indexes in a collection, and how widely they should be '
  'searched.\n'
  'Index recall is the share of the nearest chunks, found by an exact scan, that the index finds. The queries are '
  'the stored vectors of queries, last used first, then the queries of query sets. If there are fewer than 30, '
  'stored vectors that were moved a little join them. query_count: the number of queries, 10 to 1000; fewer, but at '
  'least 10, where all together would compare more than 100 million vectors. set_ef_search: true lets searches of '
  'this tenant use the suggested widths, until the index is made anew; it takes 30 queries at least. Return a JSON '
  'object whose key indexes has an object for each vector shard; the array is empty if all vectors are compared '
  'anyway. Keys of an index are shard, embedding_model, vectors, is_indexed (false if the index is missing) and '
  'measured_at. Its queries counts them by source: stored vectors, query sets and a sample. Searches use the widths '
  'ef_search for the 10 nearest, ef_search_100 for the 100 nearest and ef_search_fused for the 10 nearest in a '
  'hybrid search. A width of null means that they compare all vectors. index_recall_10 and index_recall_100 have '
  'the index recall at these widths, error_10 and error_100 their standard errors, and widths the same for other '
  'values. suggested_ef_search, suggested_ef_search_100 and suggested_ef_search_fused are the suggested widths; '
  'null means that the index is not good enough. is_set tells whether they are in use. It takes as long as the '
  'exact searches, and keeps nobody waiting. The result is kept for monitors.';
