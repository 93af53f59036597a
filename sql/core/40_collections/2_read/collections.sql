-- role: reader, definer
-- page: documents.md#collections
create or replace view braid.collections
with (security_invoker = true)
as
select c.name, v.embedding_model, v.dimensions, v.distance, c.text_config, c.fold_diacritics, c.k1, c.b, c.title_weight,
       c.chunk_tokens, c.index_fields, c.embed_fields, c.full_text_weight, c.semantic_weight, c.fusion, c.rrf_k,
       c.normalisation, c.created_at, c.vector_storage, c.hnsw_m, c.hnsw_ef_construction,
       (select coalesce(jsonb_object_agg(a.name, a.type), '{}') from braid_store.indexed_attributes a
        where a.collection_id = c.id and a.removed_at is null) as indexed_attributes,
       c.neighbour_weight, c.smoothing, c.statistics_scope, c.bm25_variant, c.sparse_weight,
       c.parts ->> 'sparse_encoder' as sparse_encoder,
       c.parts ->> 'token_vector_model' as token_vector_model,
       (c.parts ->> 'token_vector_dimensions')::int as token_vector_dimensions,
       (c.parts ->> 'token_vector_count')::int as token_vector_count,
       coalesce((c.parts ->> 'query_embedding_count')::int, 0) as query_embedding_count,
       c.overlap_tokens, c.default_occurred_at,
       coalesce(c.parts ->> 'search_log', 'off') as search_log,
       coalesce((c.parts ->> 'search_log_share')::float8, 0.1) as search_log_share,
       coalesce(c.parts ->> 'search_log_query', 'text') as search_log_query,
       coalesce((c.parts ->> 'search_log_days')::int, 30) as search_log_days,
       c.parts ->> 'ranking_model' collate "C" as ranking_model
from braid_store.collections c
join braid_store.vector_spaces v on v.id = c.vector_space_id;

-- Without a trigger a change of the view raises 55000, which PostgREST answers with status 500. With one, PostgreSQL
-- checks the privilege first, which nobody has: 42501, status 403.
create or replace trigger refuse_change
instead of insert or update or delete on braid.collections
for each row execute function braid_store.refuse_view_change('braid.create_collection or braid.set_ranking');

comment on view braid.collections is 'The collections and their settings.';
comment on column braid.collections.name is 'What the argument collection of every function takes.';
comment on column braid.collections.embedding_model is 'The model whose vectors searches compare.';
comment on column braid.collections.dimensions is 'The length of its vectors.';
comment on column braid.collections.distance is 'How vectors are compared: cosine, inner_product or l2.';
comment on column braid.collections.text_config is 'The text search configuration that turns words into lexemes.';
comment on column braid.collections.fold_diacritics is 'Whether words are indexed and searched without their accents.';
comment on column braid.collections.k1 is
  'BM25''s k1: the higher it is, the more a word adds to the score each time that a chunk repeats it.';
comment on column braid.collections.b is
  'BM25''s b: how much the length of a chunk counts against it, from 0 (not at all) to 1 (in full).';
comment on column braid.collections.title_weight is
  'How many times a word of the title counts, where a word of the text counts once.';
comment on column braid.collections.chunk_tokens is
  'The most tokens of the embedding model that a chunk may have. Longer texts are split.';
comment on column braid.collections.index_fields is 'The fields that full text search covers: title, speaker, content.';
comment on column braid.collections.embed_fields is
  'The fields that are put together and embedded: title, speaker, content.';
comment on column braid.collections.full_text_weight is
  'The weight of the full text score in hybrid searches that give none.';
comment on column braid.collections.semantic_weight is
  'The weight of the similarity in hybrid searches that give none.';
comment on column braid.collections.fusion is
  'How hybrid searches that name no fusion combine the two scores: convex, dbsf, max or rrf.';
comment on column braid.collections.rrf_k is 'The constant of the fusion rrf, in searches that give none.';
comment on column braid.collections.normalisation is
  'How convex and max bring the two scores to one scale, in searches that do not say.';
comment on column braid.collections.neighbour_weight is
  'How much of the scores of the chunks before and after it a chunk gets, in searches that do not say.';
comment on column braid.collections.smoothing is
  'How much of its score a chunk shares with those whose vectors are near, in hybrid searches that do not say.';
comment on column braid.collections.statistics_scope is
  'Where searches that do not say count how rare words are: collection, filter or auto.';
comment on column braid.collections.bm25_variant is
  'How high BM25 scores are: lucene, or okapi, which has them k1 + 1 times as high.';
comment on column braid.collections.sparse_weight is
  'The weight of the sparse score in searches that have one and give no weight.';
comment on column braid.collections.sparse_encoder is
  'The sparse encoder that makes terms of a query''s words; null if there is none.';
comment on column braid.collections.token_vector_model is
  'The model of the token vectors that chunks may have, for late interaction. Null: they have none.';
comment on column braid.collections.token_vector_dimensions is 'The length of these vectors.';
comment on column braid.collections.token_vector_count is 'How many of them a chunk may have at most.';
comment on column braid.collections.query_embedding_count is
  'Of how many queries the vectors are stored for each tenant; 0 for none.';
comment on column braid.collections.overlap_tokens is
  'How many tokens of a chunk the next one repeats at most. Null: a tenth of a chunk.';
comment on column braid.collections.default_occurred_at is
  'now, where documents that have no occurred_at get the time at which they are first written; else null.';
comment on column braid.collections.search_log is 'Which searches braid.search logs: off (none), sampled or all.';
comment on column braid.collections.search_log_share is 'What share of the searches is logged if they are sampled.';
comment on column braid.collections.search_log_query is 'What the log keeps of the query: text, hash or nothing.';
comment on column braid.collections.search_log_days is 'For how many days the log keeps a search.';
comment on column braid.collections.ranking_model is
  'The name of the model that ranks searches which name none, for tenants that have one of this name; null for none.';
comment on column braid.collections.created_at is 'When the collection was created.';
comment on column braid.collections.vector_storage is
  'How the vectors of large tenants are stored: vector, halfvec or binary.';
comment on column braid.collections.hnsw_m is 'The parameter m of the HNSW indexes of large tenants.';
comment on column braid.collections.hnsw_ef_construction is 'The parameter ef_construction of these indexes.';
comment on column braid.collections.indexed_attributes is
  'The metadata keys that filters find by index, each with its type.';
