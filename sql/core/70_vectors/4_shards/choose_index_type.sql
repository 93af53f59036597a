create or replace function braid_store.choose_index_type(shard braid_store.vector_shards)
returns text
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  v_has_others boolean;
begin
  if shard.storage <> 'vector' or shard.index_type is not null then
    return shard.index_type;
  end if;
  -- With this many vectors in so few dimensions, halfvec cannot distinguish neighbours, and each search would compare
  -- all vectors.
  if shard.vector_count > 30 ^ (least((select s.dimensions from braid_store.vector_spaces s
                                       where s.id = shard.vector_space_id), 10) - 1) then
    return 'vector';
  end if;
  execute format('select exists (select from braid_store.vectors_%s v where v.tenant_id = $1 and not v.is_duplicate '
                 'and not (%s))', shard.id, (
                   select braid_store.fits_halfvec(s.distance, 'v.embedding')
                   from braid_store.vector_spaces s where s.id = shard.vector_space_id))
  into v_has_others
  using shard.tenant_id;
  return case when v_has_others then 'vector' else 'halfvec' end;
end
$$;

comment on function braid_store.choose_index_type(braid_store.vector_shards) is
  'Choose the type of a shard''s HNSW index, once all its vectors are copied. It is halfvec if no type is chosen '
  'yet, and halfvec can store all vectors and distinguish most of them. Null means the stored type.';
