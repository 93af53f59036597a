create or replace function braid_store.check_collection_settings(
  collection text,
  text_config text,
  dimensions int,
  distance text,
  embedding_model text,
  chunk_tokens int,
  k1 float8,
  b float8,
  title_weight float8,
  full_text_weight float8,
  semantic_weight float8,
  fusion text,
  rrf_k float8,
  normalisation text,
  neighbour_weight float8,
  smoothing float8,
  statistics_scope text,
  bm25_variant text,
  index_fields text[],
  embed_fields text[],
  vector_storage text,
  hnsw_m int,
  hnsw_ef_construction int,
  sparse_weight float8
)
returns void
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_setting record;
  v_fields text[] := '{title,speaker,content}';
begin
  for v_setting in
    select *
    from (values
      ('collection', left(collection, 255), octet_length(collection) between 1 and 255, 'Use 1 to 255 bytes.'),
      ('dimensions', dimensions::text, dimensions between 1 and 16000, 'Use the model''s dimensions, 1 to 16000.'),
      ('distance', distance, distance in ('cosine', 'inner_product', 'l2'), 'Use cosine, inner_product or l2.'),
      ('embedding_model', left(embedding_model, 255), octet_length(embedding_model) between 1 and 255,
       'Name the model that makes the vectors, in 1 to 255 bytes.'),
      ('chunk_tokens', chunk_tokens::text, chunk_tokens between 16 and 100000,
       'Use the number of tokens that the model reads, 16 to 100000.'),
      ('k1', k1::text, braid_store.is_weight(k1), 'Use 0, or a number from 1e-9 to 1e9, usually 1.2.'),
      ('b', b::text, coalesce(b <= 1 and braid_store.is_weight(b), true),
       'Use 0, a number from 1e-9 to 1, usually 0.75, or null: it follows the length of the chunks.'),
      ('title_weight', title_weight::text, braid_store.is_weight(title_weight), 'Use 0, or a number from 1e-9 to 1e9.'),
      ('full_text_weight', full_text_weight::text, braid_store.is_weight(full_text_weight),
       'Use 0, or a number from 1e-9 to 1e9.'),
      ('semantic_weight', semantic_weight::text, braid_store.is_weight(semantic_weight),
       'Use 0, or a number from 1e-9 to 1e9.'),
      ('sparse_weight', sparse_weight::text, braid_store.is_weight(sparse_weight), 'Use 0, or a number from 1e-9 to 1e9.'),
      ('rrf_k', rrf_k::text, rrf_k between 0 and 1e9, 'Use a number from 0 to 1e9, usually 60.'),
      ('neighbour_weight', neighbour_weight::text, neighbour_weight between 0 and 1,
       'Use a number from 0, which is none, to 1, usually 0.2.'),
      ('smoothing', smoothing::text, smoothing between 0 and 1, 'Use a number from 0, which is none, to 1, usually 0.5.'),
      ('statistics_scope', left(statistics_scope, 100), statistics_scope in ('collection', 'filter', 'auto'),
       'Use collection, filter or auto.'),
      ('bm25_variant', left(bm25_variant, 100), bm25_variant in ('lucene', 'okapi'), 'Use lucene or okapi.'),
      ('index_fields', index_fields::text, index_fields <@ v_fields and 'content' = any (index_fields),
       'Use title, speaker and content; content must be among them.'),
      ('embed_fields', embed_fields::text, embed_fields <@ v_fields and 'content' = any (embed_fields),
       'Use title, speaker and content; content must be among them.'),
      -- The most dimensions that pgvector can index.
      ('vector_storage', vector_storage,
       case vector_storage when 'vector' then dimensions <= 2000 when 'halfvec' then dimensions <= 4000
                           else vector_storage = 'binary' end,
       'Use vector up to 2000 dimensions, halfvec up to 4000, or binary.'),
      ('hnsw_m', hnsw_m::text, hnsw_m between 2 and 100, 'Use 2 to 100, usually 16.'),
      ('hnsw_ef_construction', hnsw_ef_construction::text, hnsw_ef_construction between greatest(4, 2 * hnsw_m::bigint) and 1000,
       'Use at least twice hnsw_m and at most 1000, usually 100.')
    ) setting (name, value, is_valid, hint)
    where setting.is_valid is not true
  loop
    raise exception '% is %', v_setting.name, coalesce('''' || v_setting.value || '''', 'null')
      using errcode = '22023', hint = v_setting.hint;
  end loop;

  if full_text_weight = 0 and semantic_weight = 0 then
    raise exception 'full_text_weight and semantic_weight are both 0'
      using errcode = '22023', hint = 'Give at least one leg a weight above 0.';
  end if;
  perform braid_store.check_fusion(fusion),
          braid_store.check_normalisation(normalisation),
          braid_store.token_config(text_config);
end
$$;

comment on function braid_store.check_collection_settings(text, text, int, text, text, int, float8, float8, float8,
                                                          float8, float8, text, float8, text, float8, float8, text, text,
                                                          text[], text[], text, int, int, float8) is
  'Raises 22023 or 42704 for a setting that no collection can have. The message names the setting, and the hint says '
  'what to use.';
