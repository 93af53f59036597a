-- role: administrator
-- example: braid.create_collection(collection => 'another')
-- page: documents.md#collections
create or replace function braid.create_collection(
  collection text,
  text_config text default 'english',
  dimensions int default 384,
  distance text default 'cosine',
  embedding_model text default 'all-MiniLM-L6-v2',
  chunk_tokens int default null,
  k1 float8 default null,
  b float8 default null,
  title_weight float8 default null,
  full_text_weight float8 default null,
  semantic_weight float8 default null,
  fusion text default 'convex',
  rrf_k float8 default 60,
  fold_diacritics boolean default true,
  index_fields text[] default '{title,speaker,content}',
  embed_fields text[] default '{title,speaker,content}',
  indexed_attributes jsonb default '{}',
  vector_storage text default null,
  hnsw_m int default 16,
  hnsw_ef_construction int default null,
  normalisation text default 'centroid',
  preset text default null,
  neighbour_weight float8 default null,
  smoothing float8 default null,
  statistics_scope text default null,
  bm25_variant text default 'lucene',
  sparse_weight float8 default null,
  sparse_encoder text default null
)
returns int
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.insert_collection(
    collection, text_config, dimensions, distance, embedding_model,
    -- The window of all-MiniLM-L6-v2 is 256 tokens; other models read 512 or more.
    coalesce(chunk_tokens, case when embedding_model like '%all-MiniLM-L6-v2' then 240 else 500 end),
    k1, b, title_weight, full_text_weight, semantic_weight, fusion, rrf_k, normalisation, preset, neighbour_weight,
    smoothing, statistics_scope, bm25_variant, fold_diacritics, index_fields, embed_fields, indexed_attributes, vector_storage, hnsw_m,
    hnsw_ef_construction, sparse_weight, sparse_encoder);
$$;

comment on function braid.create_collection(text, text, int, text, text, int, float8, float8, float8, float8, float8,
                                            text, float8, boolean, text[], text[], jsonb, text, int, int, text, text,
                                            float8, float8, text, text, float8, text) is
  E'Creates a collection, which all tenants share: each sees its own documents in it.\n'
  'Returns its id. embedding_model, dimensions, distance (cosine, inner_product or l2): the model that makes the '
  'vectors. text_config: the text search configuration that stems words. fold_diacritics: whether words match without '
  'their accents. chunk_tokens: the most tokens of a chunk; null takes 240 for all-MiniLM-L6-v2 and 500 for other '
  'models. index_fields, embed_fields: the fields that full text covers, and those that are embedded. The ranking '
  'arguments are those of set_ranking; where they are null, preset decides: prose, conversation where the chunks of a '
  'document are turns that follow each other, or rrf, whose fusion is rrf. preset null: as prose, and a collection that exists keeps what it '
  'has. With fusion rrf or max, weights that are null are 1 and 1. indexed_attributes: see set_indexed_attributes. vector_storage (vector, halfvec '
  'or binary), hnsw_m, hnsw_ef_construction: how a large tenant''s vectors are stored and indexed; vector_storage null '
  'takes the first that can be indexed at these dimensions, hnsw_ef_construction null 100, or what the collection '
  'already has. If a collection of this name exists with the same settings, only returns its id; with others, raises '
  '22023. For administrators.';
