create or replace function braid_store.check_collection(
  collection braid_store.collections,
  dimensions int,
  distance text,
  embedding_model text
)
returns void
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_wrong record;
begin
  select s.* into v_wrong
  from (values
    ('collection', left(collection.name, 255), octet_length(collection.name) between 1 and 255, 'Use 1 to 255 bytes.'),
    ('dimensions', dimensions::text, dimensions between 1 and 16000, 'Use the model''s dimensions, 1 to 16000.'),
    ('distance', left(distance, 255), distance in ('cosine', 'inner_product', 'l2'),
      'Use cosine, inner_product or l2.'),
    ('embedding_model', left(embedding_model, 255), octet_length(embedding_model) between 1 and 255,
     'Name the model that makes the vectors, in 1 to 255 bytes.'),
    ('chunk_tokens', collection.chunk_tokens::text, collection.chunk_tokens between 16 and 100000,
     'Use the number of tokens that the model reads, 16 to 100000.'),
    -- pgvector can index no more dimensions.
    ('vector_storage', collection.vector_storage,
     case collection.vector_storage when 'vector' then dimensions <= 2000 when 'halfvec' then dimensions <= 4000
                                    else collection.vector_storage = 'binary' end,
     'Use vector up to 2000 dimensions, halfvec up to 4000, or binary.'),
    ('hnsw_ef_construction', collection.hnsw_ef_construction::text,
     collection.hnsw_ef_construction >= 2 * collection.hnsw_m,
       'Use at least twice hnsw_m and at most 1000, usually 100.'),
    ('overlap_tokens', collection.overlap_tokens::text,
     coalesce(collection.overlap_tokens <= collection.chunk_tokens / 2, true),
     format('Use 0 to %s, half of the collection''s chunk_tokens.', collection.chunk_tokens / 2))
  ) s (name, value, is_valid, hint)
  where s.is_valid is not true
  limit 1;
  if found then
    raise exception '% is %', v_wrong.name, coalesce('''' || v_wrong.value || '''', 'null')
      using errcode = '22023', hint = v_wrong.hint;
  end if;
  perform braid_store.token_config(collection.text_config);
end
$$;

comment on function braid_store.check_collection(braid_store.collections, int, text, text) is
  'Raise 22023 or 42704 for a collection that cannot exist: a wrong argument of its creation, or settings that '
  'contradict each other. configure and rank_as check each setting alone.';
