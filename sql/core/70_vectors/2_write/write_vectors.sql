create or replace function braid_store.write_vectors(
  tenant_id int,
  collection braid_store.collections,
  chunk_ids bigint[],
  embeddings @vector@.vector[]
)
returns int
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
-- With sequential scans allowed, a plan cached while the tables were small would scan them whole for each key, until
-- the session ends.
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  v_collection_id int := write_vectors.collection.id;
  v_is_half boolean := write_vectors.collection.vector_storage = 'halfvec';
  v_chunk_ids bigint[];
begin
  -- This locks chunks, then jobs, each in the order of their ids, as remove_chunks does, so that the two cannot
  -- deadlock.
  v_chunk_ids := array(
    select c.id
    from (select u.id from unnest(write_vectors.chunk_ids) u (id) order by u.id offset 0) u,
         lateral (
           select c.id, c.collection_id from braid_store.chunks c
           where c.tenant_id = write_vectors.tenant_id and c.id between u.id and u.id
           order by c.id
           for key share
           offset 0
         ) c
    where c.collection_id = v_collection_id);
  perform
  from (select u.chunk_id from unnest(write_vectors.chunk_ids) u (chunk_id) order by 1 offset 0) u,
       lateral (
         select from braid_store.embedding_jobs j
         where j.tenant_id = write_vectors.tenant_id and j.collection_id = v_collection_id
           and j.vector_space_id = write_vectors.collection.vector_space_id and j.chunk_id = u.chunk_id
         for update
         offset 0
       ) j;

  -- Vectors are never written into a shard. This row overrides the shard's row until maintenance moves it there.
  insert into braid_store.chunk_vectors (tenant_id, collection_id, vector_space_id, chunk_id, embedding)
  select write_vectors.tenant_id, v_collection_id, write_vectors.collection.vector_space_id, e.chunk_id,
         -- The vector is rounded here already, so that the later move into a shard changes no score.
         case when v_is_half then e.embedding::@vector@.halfvec::@vector@.vector else e.embedding end
  from unnest(write_vectors.chunk_ids, write_vectors.embeddings) e (chunk_id, embedding)
  -- Some chunks may have been deleted since their embedding was requested. The others are locked and cannot be deleted
  -- now.
  join unnest(v_chunk_ids) c (id) on c.id = e.chunk_id
  order by e.chunk_id
  on conflict (tenant_id, collection_id, vector_space_id, chunk_id) do update set embedding = excluded.embedding;

  delete from braid_store.embedding_jobs j
  where j.tenant_id + 0 = write_vectors.tenant_id and j.ctid = any (array(
    select j.ctid
    from unnest(write_vectors.chunk_ids) u (chunk_id),
         lateral (
           select j.ctid from braid_store.embedding_jobs j
           where j.tenant_id = write_vectors.tenant_id and j.collection_id = v_collection_id
             and j.vector_space_id = write_vectors.collection.vector_space_id and j.chunk_id = u.chunk_id
           offset 0
         ) j));
  return cardinality(v_chunk_ids);
end
$$;

comment on function braid_store.write_vectors(int, braid_store.collections, bigint[], @vector@.vector[]) is
  'Store embeddings of chunks in the collection''s vector space and delete the jobs that requested them. Chunks that '
  'no longer exist are skipped. Return the number of embeddings stored.';
