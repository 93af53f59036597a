create or replace function braid_store.remove_vectors(tenant_id int, collection_id int, chunk_ids bigint[])
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_shard record;
  v_hashes bigint[];
begin
  -- Rows are looked up one by one by the whole key, as in remove_chunks. remove_chunks has locked the chunks, so no
  -- other session writes their vectors now.
  delete from braid_store.chunk_vectors v
  where v.tenant_id + 0 = remove_vectors.tenant_id and v.ctid = any (array(
    select v.ctid
    from unnest(remove_vectors.chunk_ids) u (chunk_id), braid_store.vector_spaces s,
         lateral (
           select v.ctid from braid_store.chunk_vectors v
           where v.tenant_id = remove_vectors.tenant_id and v.collection_id = remove_vectors.collection_id
             and v.vector_space_id = s.id and v.chunk_id = u.chunk_id
           offset 0
         ) v));
  perform braid_store.extend_removed_chunks(tenant_id, collection_id, chunk_ids);
  -- A shard that is still being copied may receive the vector after this delete. This is harmless: searches check that
  -- the chunk exists.
  for v_shard in
    select s.id, s.duplicate_count from braid_store.vector_shards s
    where s.tenant_id = remove_vectors.tenant_id and s.collection_id = remove_vectors.collection_id
      and s.state = 'serving'
  loop
    if v_shard.duplicate_count > 0 then
      perform braid_store.remove_from_shard(remove_vectors.tenant_id, v_shard.id, remove_vectors.chunk_ids);
      continue;
    end if;
    execute format('with gone as (delete from braid_store.vectors_%1$s v where v.ctid = any (array(select v.ctid '
                   'from unnest($2) u (chunk_id), lateral (select v.ctid from braid_store.vectors_%1$s v '
                   'where v.tenant_id = $1 and v.chunk_id = u.chunk_id offset 0) v)) returning v.embedding_hash) '
                   'select array_agg(g.embedding_hash) from gone g', v_shard.id)
      into v_hashes
      using remove_vectors.tenant_id, remove_vectors.chunk_ids;
    -- While this delete waited for a concurrent absorb_vectors, absorb_vectors may have stored duplicates of a vector
    -- that is now deleted. One of them must go into the index.
    if v_shard.duplicate_count = 0 then
      perform braid_store.represent_duplicates(s, v_hashes)
      from braid_store.vector_shards s
      where s.tenant_id = remove_vectors.tenant_id and s.collection_id = remove_vectors.collection_id
        and s.id = v_shard.id and s.duplicate_count > 0;
    end if;
  end loop;
end
$$;

comment on function braid_store.remove_vectors(int, int, bigint[]) is
  'Delete the vectors of chunks in all vector spaces, and the parts'' data of the chunks. The caller has locked the '
  'chunks, so that no other session writes their vectors meanwhile.';
