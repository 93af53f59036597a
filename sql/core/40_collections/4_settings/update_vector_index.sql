-- role: administrator
-- tenants: all
-- Collections are defined for all tenants.
create or replace function braid_store.update_vector_index(
  collection text,
  vector_storage text,
  hnsw_m int,
  hnsw_ef_construction int
)
returns void
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_old braid_store.collections;
  v_new braid_store.collections;
  v_places text;
  v_is_too_great boolean;
begin
  v_old := braid_store.find_collection(update_vector_index.collection);
  -- Locked, because two changes that are each valid alone may be invalid together.
  v_old := braid_store.lock_definition(v_old);
  v_new := v_old;
  v_new.vector_storage := coalesce(update_vector_index.vector_storage, v_old.vector_storage);
  v_new.hnsw_m := coalesce(update_vector_index.hnsw_m, v_old.hnsw_m);
  v_new.hnsw_ef_construction := coalesce(update_vector_index.hnsw_ef_construction, v_old.hnsw_ef_construction);

  perform braid_store.check_collection_settings(
    v_new.name, v_new.text_config, s.dimensions, s.distance, s.embedding_model, v_new.chunk_tokens, v_new.k1, v_new.b,
    v_new.title_weight, v_new.full_text_weight, v_new.semantic_weight, v_new.fusion, v_new.rrf_k,
    v_new.normalisation, v_new.neighbour_weight,
    v_new.smoothing, v_new.statistics_scope, v_new.bm25_variant, v_new.index_fields, v_new.embed_fields,
    v_new.vector_storage, v_new.hnsw_m, v_new.hnsw_ef_construction, v_new.sparse_weight)
  from braid_store.vector_spaces s
  where s.id = v_new.vector_space_id;

  if v_new.vector_storage = 'halfvec' and v_old.vector_storage <> 'halfvec' then
    -- With writers kept out: what they write later is checked against the new storage.
    perform braid_store.lock_collection(v_new, 'exclusive');
    v_places := (
      select string_agg(format('select v.embedding from %s v %s', p.name, p.condition), ' union all ')
      from (
        select format('braid_store.vectors_%s', s.id), ''
        from braid_store.vector_shards s
        where s.collection_id = v_new.id and s.state = 'serving' and s.storage <> 'halfvec'
        union all
        select 'braid_store.chunk_vectors', format('where v.collection_id = %s', v_new.id)
      ) p (name, condition));
    -- A vector has a number beyond halfvec's greatest only if its length is beyond it too; the length is cheap to test.
    execute format('select exists (select from (%s) v where @vector@.vector_norm(v.embedding) > 65504 '
                   'and (select max(abs(x)) from unnest(v.embedding::real[]) x) >= 65520)', v_places)
    into v_is_too_great;
    if v_is_too_great then
      raise exception 'collection "%" has vectors with a number beyond 65504, the greatest of halfvec', v_new.name
        using errcode = '22023', hint = 'Keep vector_storage, or store normalized vectors first.';
    end if;
  end if;

  update braid_store.collections c
  set vector_storage = v_new.vector_storage, hnsw_m = v_new.hnsw_m, hnsw_ef_construction = v_new.hnsw_ef_construction
  where c.id = v_new.id;
  perform braid_store.note_collection(v_new.id);
end
$$;

comment on function braid_store.update_vector_index(text, text, int, int) is
  'Does the work of braid.set_vector_index.';
