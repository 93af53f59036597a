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
  'stored vectors that were moved a little join them.\n'
  'query_count: how many queries to use, 10 to 1000; fewer, but at least 10, if all together would compare more than '
  '100 million vectors. set_ef_search: true lets searches of this tenant use the suggested widths, until the index '
  'is rebuilt; it takes 30 queries at least.\n'
  'Return a JSON object whose key indexes is an array with an object for each vector shard. The array is empty if '
  'all vectors are compared anyway. Each object has these keys.\n'
  'shard, embedding_model, vectors: the shard''s id, its model, and how many vectors it has. is_indexed: false if '
  'the index is missing. measured_at: when this was measured. queries: how many came from each source: stored '
  'vectors, query sets and a sample. ef_search: the width that searches use for the 10 nearest chunks; null, as for '
  'the other widths, means that they compare all vectors. ef_search_100: the width used for the 100 nearest. '
  'ef_search_fused: the width used for the 10 nearest in a hybrid search. far_distance: if the tenth vector found is '
  'farther, the search is repeated with far_ef_search or, if that is null, all vectors are compared. far_share: the '
  'share of the queries searched again. index_recall_10, index_recall_100: the index recall of such searches for the '
  '10 and the 100 nearest. error_10, error_100: the standard errors of these, as measured. widths: the index recall '
  'of single searches at other widths. suggested_ef_search, suggested_ef_search_100, suggested_ef_search_fused: the '
  'suggested widths; null means that the index is not good enough. suggested_far_distance, suggested_far_ef_search: '
  'the suggested values. is_set: whether the suggested values are in use.\n'
  'The call takes as long as the exact searches, and keeps nobody waiting. The result is kept for monitors.';
