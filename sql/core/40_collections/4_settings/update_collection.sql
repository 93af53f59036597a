-- role: administrator
-- tenants: all
-- Collections are defined for all tenants.
create or replace function braid_store.update_collection(collection text, settings jsonb)
returns void
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_old braid_store.collections := braid_store.find_collection(collection);
  v_new braid_store.collections;
  v_places text;
  v_is_too_great boolean;
begin
  perform braid_store.configure(v_old, settings, false);
  -- The row is locked because two changes that are each valid alone may contradict each other.
  v_old := braid_store.lock_definition(v_old);
  v_new := braid_store.configure(v_old, settings, false);
  perform braid_store.check_collection(v_new, s.dimensions, s.distance, s.embedding_model)
  from braid_store.vector_spaces s
  where s.id = v_new.vector_space_id;

  if v_new.vector_storage = 'halfvec' and v_old.vector_storage <> 'halfvec' then
    -- Keep writers out during the check; vectors written later are checked against the new storage.
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
    -- A number can exceed the greatest of halfvec only if the vector's norm does, too, and the norm is cheap to test.
    execute format('select exists (select from (%s) v where @vector@.vector_norm(v.embedding) > 65504 '
                   'and (select max(abs(x)) from unnest(v.embedding::real[]) x) >= 65520)', v_places)
    into v_is_too_great;
    if v_is_too_great then
      raise exception 'collection "%" has vectors with a number beyond 65504, the greatest of halfvec', v_new.name
        using errcode = '22023', hint = 'Keep vector_storage, or store normalized vectors first.';
    end if;
  end if;

  update braid_store.collections c
  set vector_storage = v_new.vector_storage, hnsw_m = v_new.hnsw_m, hnsw_ef_construction = v_new.hnsw_ef_construction,
      overlap_tokens = v_new.overlap_tokens, default_occurred_at = v_new.default_occurred_at
  where c.id = v_new.id;
  if settings ?| '{vector_storage,hnsw_m,hnsw_ef_construction}' then
    perform braid_store.note_collection(v_new.id);
  end if;
end
$$;

comment on function braid_store.update_collection(text, jsonb) is 'Do the work of braid.set_collection.';
