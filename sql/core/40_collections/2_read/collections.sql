-- role: reader, definer
-- page: guide/collections.md
create or replace view braid.collections
with (security_invoker = true)
as
select c.name, v.embedding_model, v.dimensions, v.distance, c.text_config, c.fold_diacritics, c.k1, c.b, c.title_weight,
       c.chunk_tokens, c.index_fields, c.embed_fields, c.full_text_weight, c.semantic_weight, c.fusion, c.rrf_k,
       c.normalisation, c.created_at, c.vector_storage, c.hnsw_m, c.hnsw_ef_construction,
       (select coalesce(jsonb_object_agg(a.name, a.type), '{}') from braid_store.indexed_attributes a
        where a.collection_id = c.id and a.removed_at is null) as indexed_attributes,
       c.neighbour_weight, c.document_weight, c.question_penalty, c.speaker_weight, c.smoothing, c.statistics_scope,
       c.bm25_variant, c.sparse_weight, c.overlap_tokens, c.default_occurred_at, c.name_weight, c.typos,
       (select coalesce(jsonb_object_agg(s.key, s.value -> 'default'), '{}')
        from braid_store.parts p, jsonb_each(p.manifest -> 'settings') s) || coalesce(c.parts, '{}') as parts
from braid_store.collections c
join braid_store.vector_spaces v on v.id = c.vector_space_id;

-- Without a trigger, a change of the view raises 55000, which PostgREST answers with status 500. With the trigger,
-- PostgreSQL first checks the privilege, which nobody has: 42501, status 403.
create or replace trigger refuse_change
instead of insert or update or delete on braid.collections
for each row execute function braid_store.refuse_view_change('braid.create_collection, braid.set_collection or '
  'braid.set_ranking');

comment on view braid.collections is 'The collections and their settings.';
comment on column braid.collections.name is 'The collection''s name, for the argument collection of functions.';
comment on column braid.collections.embedding_model is 'The embedding model whose vectors searches compare.';
comment on column braid.collections.dimensions is 'The number of dimensions of the vectors.';
comment on column braid.collections.distance is 'The distance between vectors: cosine, inner_product or l2.';
comment on column braid.collections.text_config is 'The text search configuration that turns words into lexemes.';
comment on column braid.collections.fold_diacritics is 'Whether words are indexed and searched without their accents.';
comment on column braid.collections.k1 is
  'BM25''s k1: the higher it is, the more a repeated word adds to the score of a chunk.';
comment on column braid.collections.b is
  'BM25''s b: how much the length of a chunk counts against it, from 0 (not at all) to 1 (in full). Null: 0.75, and '
  'less where chunks are short, 0.75 × min(1, average length / 40).';
comment on column braid.collections.title_weight is
  'The weight of a word in the title; a word in the text has the weight 1.';
comment on column braid.collections.chunk_tokens is
  'The most tokens of the embedding model that a chunk may have. Longer texts are split.';
comment on column braid.collections.index_fields is 'The fields that full text search covers: title, speaker, content.';
comment on column braid.collections.embed_fields is
  'The fields that are joined and embedded: title, speaker, content.';
comment on column braid.collections.full_text_weight is 'The weight of the full-text score in hybrid searches.';
comment on column braid.collections.semantic_weight is 'The weight of the similarity in hybrid searches.';
comment on column braid.collections.fusion is
  'How hybrid searches combine the scores: convex, dbsf, max or rrf.';
comment on column braid.collections.rrf_k is 'The constant of the fusion rrf.';
comment on column braid.collections.normalisation is
  'How the fusions convex and max bring the scores to one scale.';
comment on column braid.collections.neighbour_weight is
  'The share of the scores of the chunks before and after a chunk, in the same document, that is added to its score.';
comment on column braid.collections.document_weight is
  'The share of the best score in the document of a chunk that is added to its score.';
comment on column braid.collections.question_penalty is
  'What the score of a chunk loses in hybrid searches if all of its text asks, and in proportion if a share does. It '
  'needs the fusion convex and the normalisation centroid.';
comment on column braid.collections.speaker_weight is
  'What is added to the score of a chunk in hybrid searches if the query names its speaker. It needs the fusion convex '
  'and the normalisation centroid.';
comment on column braid.collections.name_weight is
  'The share of the best score that a document gains in hybrid searches whose query is its title or its external_id. '
  'Above 1, the document comes first; 0 turns this off.';
comment on column braid.collections.smoothing is
  'How far the score of a chunk moves to the mean score of the 10 nearest chunks among the best 30. It needs the '
  'fusion convex and the normalisation centroid.';
comment on column braid.collections.statistics_scope is
  'The chunks in which searches count how rare words are: all of the collection, or, with filter, up to 10,000 '
  'chunks that the filter matches. auto is filter if an index finds that the filter matches 100 to 1,000 chunks, '
  'else collection. permitted is the chunks that the session may read.';
comment on column braid.collections.typos is
  'Whether words that no or hardly any chunk has also match words that are spelt nearly so: off or auto.';
comment on column braid.collections.bm25_variant is
  'The scale of BM25 scores: lucene, or okapi, whose scores are k1 + 1 times as high.';
comment on column braid.collections.sparse_weight is
  'The weight of the sparse score in searches with sparse terms.';
comment on column braid.collections.overlap_tokens is
  'The most tokens of a chunk that the next chunk repeats. Null: a tenth of a chunk.';
comment on column braid.collections.default_occurred_at is
  'The default of a document''s occurred_at: now is the time at which the document is first written; null is no time.';
comment on column braid.collections.parts is
  'The settings of parts, as an object with a key for each.';
comment on column braid.collections.created_at is 'When the collection was created.';
comment on column braid.collections.vector_storage is
  'How the vectors of large tenants are stored: vector, halfvec or binary.';
comment on column braid.collections.hnsw_m is 'The parameter m of the HNSW indexes of large tenants.';
comment on column braid.collections.hnsw_ef_construction is
  'The parameter ef_construction of the HNSW indexes of large tenants.';
comment on column braid.collections.indexed_attributes is
  'The metadata keys that filters find by index, each with its type.';
