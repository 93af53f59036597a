create or replace function braid_store.absorb_vectors(shard braid_store.vector_shards, max_count int)
returns int
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
-- These settings make the planner read the key's index in order. The planner has no statistics, and would otherwise
-- read and sort all remaining rows for each batch.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
declare
  v_moved int;
  v_inserted int;
  v_duplicate_count int;
  v_left_hashes bigint[];
  v_misfit_count int;
begin
  -- One statement moves the vectors, so that every snapshot sees a vector in at least one of the two places.
  execute format($query$
    with candidate as materialized (
      select v.ctid, %3$s as fits from braid_store.chunk_vectors v
      where v.tenant_id = $1 and v.collection_id = $2 and v.vector_space_id = $3
      order by v.chunk_id limit $4 for update skip locked
    ), moved as (
      delete from braid_store.chunk_vectors v
      where v.tenant_id + 0 = $1 and v.ctid = any (array(select c.ctid from candidate c where c.fits))
      returning v.chunk_id, v.embedding
    ), batch as (
      select m.chunk_id, m.embedding from moved m
    ), %2$s, left_behind as (
      -- These vectors of the index are about to be replaced, and may have duplicates.
      select s.embedding_hash
      from hashed h,
           lateral (
             select s.embedding_hash from braid_store.vectors_%1$s s
             where s.tenant_id = $1 and s.chunk_id = h.chunk_id and not s.is_duplicate
               and s.embedding_hash is distinct from h.embedding_hash
             offset 0
           ) s
    ), absorbed as (
      insert into braid_store.vectors_%1$s as s (tenant_id, chunk_id, embedding, embedding_hash, is_duplicate)
      select $1, h.chunk_id, h.embedding, h.embedding_hash, h.is_duplicate from hashed h order by h.chunk_id
      on conflict (tenant_id, chunk_id) do update
      set embedding = excluded.embedding, embedding_hash = excluded.embedding_hash, is_duplicate = excluded.is_duplicate
        -- A vector that has not changed since it was copied keeps its place in the graph.
        where s.embedding operator(@vector@.<>) excluded.embedding
      returning (s.xmax = 0) as is_new, s.is_duplicate
    )
    select (select count(*) from moved), (select count(*) from absorbed a where a.is_new),
           (select count(*) from absorbed a where a.is_duplicate), array(select l.embedding_hash from left_behind l),
           (select count(*) from candidate c where not c.fits)
    $query$, shard.id, braid_store.hashed_batch(shard),
    case when shard.index_type = 'halfvec' then
      (select braid_store.fits_halfvec(s.distance, 'v.embedding')
       from braid_store.vector_spaces s where s.id = shard.vector_space_id)
    else 'true' end)
  into v_moved, v_inserted, v_duplicate_count, v_left_hashes, v_misfit_count
  using shard.tenant_id, shard.collection_id, shard.vector_space_id, max_count;
  if shard.duplicate_count + v_duplicate_count > 0 and v_left_hashes <> '{}' then
    perform braid_store.represent_duplicates(shard, v_left_hashes);
  end if;
  update braid_store.vector_shards s
  set duplicate_count = s.duplicate_count + v_duplicate_count, vector_count = s.vector_count + v_inserted,
      -- A new shard will take the vectors that this shard's index cannot store.
      is_outdated = s.is_outdated or v_misfit_count > 0
  where s.tenant_id = shard.tenant_id and s.collection_id = shard.collection_id
    and s.vector_space_id = shard.vector_space_id and s.id = shard.id and (v_inserted > 0 or v_duplicate_count > 0
      or v_misfit_count > 0);
  return v_moved + v_misfit_count;
end
$$;

comment on function braid_store.absorb_vectors(braid_store.vector_shards, int) is
  'Move vectors from chunk_vectors, where new ones are written, into the shard that serves searches: at most '
  'max_count. Vectors that its index cannot store remain, and the shard is marked outdated. Return the number of '
  'vectors that were moved or remain.';
