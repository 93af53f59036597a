create type braid_store.recall_curve as (
  widths int[],
  index_recalls_10 float8[],
  index_recalls_100 float8[],
  found_distances float8[],
  is_settled boolean
);

comment on type braid_store.recall_curve is
  'What an index finds for sample queries at growing widths; [w][q] is the element of width w and query q. '
  'index_recalls_10, index_recalls_100: the share of the 10 and of the 100 nearest vectors that it finds, the latter '
  'null for queries that were not asked for it. found_distances: the distance of the tenth vector found; for inner '
  'products, divided by the length of the query. is_settled: whether the last width finds so much that a wider search '
  'counts as finding all.';
