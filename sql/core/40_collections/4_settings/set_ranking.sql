-- role: administrator
-- example: braid.set_ranking(collection => 'small', ranking => '{"k1": 3}', reason => 'try')
-- page: guide/apply-ranking.md#apply-a-ranking
create or replace function braid.set_ranking(
  collection text,
  ranking jsonb,
  reason text default null,
  evaluation jsonb default null,
  expected_ranking jsonb default null
)
returns int
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.deploy_ranking(collection, ranking, reason, evaluation, expected_ranking);
$$;

comment on function braid.set_ranking(text, jsonb, text, jsonb, jsonb) is
  E'Change how a collection ranks, for all tenants and from the next search on, and keep a version of it.\n'
  'ranking: an object of settings, such as {"fusion": "convex", "full_text_weight": 0.7}. Settings that are not '
  'given stay, but for the weights with another kind of fusion, which become its defaults. To try it first, give it '
  'to searches as the option ranking: the scores are the same. k1, b: BM25''s parameters; b null follows the length '
  'of the chunks. title_weight: how many times a word of the title counts. full_text_weight, semantic_weight, '
  'sparse_weight: the weights of the scores in hybrid searches that give none. fusion: rrf, convex, dbsf or max. '
  'rrf_k: the constant of rrf. normalisation: centroid, theoretical, minmax, zscore, saturate or none. preset: '
  'prose, conversation or rrf; sets all that a new collection of this kind has, except for normalisation and '
  'bm25_variant and, unless it is rrf, fusion and rrf_k, before the other settings count, and no weights where the '
  'fusion is rrf or max. neighbour_weight: how much of the scores of the chunks before and after it a chunk gets. '
  'smoothing: how much of its score it shares with those whose vectors are near, in hybrid searches. '
  'statistics_scope: where words are counted: collection, filter, or auto. bm25_variant: okapi multiplies BM25 '
  'scores by k1 + 1, as the classic formula does; lucene does not. Parts that are installed have settings of their '
  'own. reason: why, for whoever reads list_rankings. evaluation: what it rests on, an object of '
  'at most 100000 bytes; values of queries, changed, query_text, rows and missed are not kept, since '
  'versions belong to no tenant. expected_ranking: settings that the collection must still have, such as those that '
  'ranking was compared with; else it is refused. Returns the number of the version; that of the present one if '
  'nothing changes. restore_ranking undoes it. Scores are exact at once. After a change of k1, b or title_weight, '
  'full-text searches may be slower until braid.maintain() has rewritten the index. Only administrators may call it.';
