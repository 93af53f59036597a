-- role: administrator
-- example: braid.set_ranking(collection => 'small', k1 => 2)
-- page: ranking.md#the-settings-of-a-collection
create or replace function braid.set_ranking(
  collection text,
  k1 float8 default null,
  b float8 default null,
  title_weight float8 default null,
  full_text_weight float8 default null,
  semantic_weight float8 default null,
  rrf_k float8 default null,
  fusion text default null,
  normalisation text default null,
  preset text default null,
  neighbour_weight float8 default null,
  smoothing float8 default null,
  statistics_scope text default null,
  bm25_variant text default null,
  sparse_weight float8 default null,
  sparse_encoder text default null,
  ranking_model text default null
)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.update_ranking(collection, k1, b, title_weight, full_text_weight, semantic_weight, rrf_k, fusion,
                                    normalisation, preset, neighbour_weight, smoothing, statistics_scope, bm25_variant,
                                    sparse_weight, sparse_encoder, ranking_model);
$$;

comment on function braid.set_ranking(text, float8, float8, float8, float8, float8, float8, text, text, text, float8,
                                      float8, text, text, float8, text, text) is
  E'Changes how a collection ranks, for all tenants and from the next search on.\n'
  'An argument that is null, as by default, keeps its setting. k1, b: BM25''s parameters. title_weight: how many times '
  'a word of the title counts. full_text_weight, semantic_weight: the weights of the two scores in hybrid searches '
  'that give none; with a change from convex or dbsf to rrf or max, or back, they become the defaults of the new fusion '
  'unless given. fusion: rrf, convex, dbsf or max. rrf_k: the constant of rrf. normalisation: centroid, theoretical, '
  'minmax, zscore, saturate or none. preset: prose, conversation or rrf; sets all that a new collection of this kind has, '
  'except for normalisation and bm25_variant and, unless it is rrf, fusion and rrf_k, before the other arguments count, and no weights where the fusion is rrf or max. neighbour_weight: how much of the '
  'scores of the chunks before and after it a chunk gets. smoothing: how much of its score it shares with those whose '
  'vectors are near, in hybrid searches. statistics_scope: where words are counted: collection, filter, or auto. '
  'bm25_variant: okapi multiplies BM25 scores by k1 + 1, as the classic formula does; lucene does not. '
  'sparse_weight: the weight of the sparse leg. sparse_encoder: the name of one that set_sparse_encoder has stored, which '
  'makes sparse terms of a query''s words; an empty name takes it away. ranking_model: the name of the model that ranks searches '
  'which name none, for tenants that have stored one of this name; an empty name takes it away. '
  'Scores are exact at once. After a change of k1, b or title_weight, full-text '
  'searches may be slower until braid.maintain() has rewritten the index. For administrators.';
