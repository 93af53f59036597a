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
  'ranking: an object that holds settings, such as {"fusion": "convex", "full_text_weight": 0.7}. Settings that are '
  'not given stay, but a fusion of the other kind (convex and dbsf, or rrf and max) resets the weights to its '
  'defaults. To try a ranking first, give it to searches as the option ranking: the scores are the same. Installed '
  'parts have settings of their own. k1, b: the parameters of BM25; b null follows the length of the chunks. '
  'title_weight: how many times a word of the title counts. full_text_weight, semantic_weight, sparse_weight: the '
  'weights of the scores in hybrid searches that give none. fusion: use rrf, convex, dbsf or max. rrf_k: the '
  'constant that rrf uses. normalisation: use centroid, theoretical, minmax, zscore, saturate or none. preset: use '
  'prose, conversation, code or rrf for the settings of a new collection of this kind; other settings override them. '
  'It leaves normalisation and bm25_variant alone, and sets fusion and rrf_k only if it is rrf. With the fusion rrf '
  'or max, the weights are the fusion''s defaults. neighbour_weight: the share of the scores of the chunks before '
  'and after a chunk that is added to its score. document_weight: the share of the best score in the document of a '
  'chunk. question_penalty: what a chunk that only asks loses in hybrid searches. speaker_weight: what a chunk gains '
  'there if the query names its speaker. name_weight: what share of the best score a document gains there if its title '
  'or external_id is the query or a quoted part of it; above 1 it comes first. smoothing: how far, in '
  'hybrid searches, the score of a chunk moves to the mean score of chunks with near vectors. statistics_scope: where '
  'words are counted: collection, filter, auto or permitted. '
  'typos: whether misspelt words match near words: off or auto. '
  'bm25_variant: okapi multiplies BM25 scores by k1 + 1, as the classic formula does; lucene does not. reason: why '
  'the ranking changes, for readers of list_rankings. evaluation: the measurements behind the change, an object of at '
  'most 100000 bytes; values of queries, changed, query_text, rows and missed are not kept, since versions belong to '
  'no tenant. expected_ranking: settings that the collection must still have, such as the settings that ranking was '
  'compared with; otherwise the change is refused.\n'
  'Return the number of the new version, or of the present version if nothing changes. restore_ranking undoes the '
  'change. Scores are exact at once. After a change of k1, b or title_weight, full-text searches may be slower until '
  'braid.maintain() has rewritten the index. Only administrators may call it.';
