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
as $$
#variable_conflict use_column
declare
  v_collection_id int := write_vectors.collection.id;
  v_is_half boolean := write_vectors.collection.vector_storage = 'halfvec';
  v_chunk_ids bigint[];
begin
  -- Jobs, then chunks, in the order of their ids, as remove_chunks locks them.
  perform
  from (select u.chunk_id from unnest(write_vectors.chunk_ids) u (chunk_id) order by 1 offset 0) u,
       lateral (
         select from braid_store.embedding_jobs j
         where j.tenant_id = write_vectors.tenant_id and j.collection_id = v_collection_id
           and j.vector_space_id = write_vectors.collection.vector_space_id and j.chunk_id = u.chunk_id
         for update
         offset 0
       ) j;
  v_chunk_ids := array(
    select c.id
    from (select u.id from unnest(write_vectors.chunk_ids) u (id) order by u.id offset 0) u,
         lateral (
           select c.id, c.collection_id from braid_store.chunks c
           where c.tenant_id = write_vectors.tenant_id and c.id = u.id
           for key share
           offset 0
         ) c
    where c.collection_id = v_collection_id);

  -- Never into a shard: this row overrides the shard's until maintenance moves it there.
  insert into braid_store.chunk_vectors (tenant_id, collection_id, vector_space_id, chunk_id, embedding)
  select write_vectors.tenant_id, v_collection_id, write_vectors.collection.vector_space_id, e.chunk_id,
         -- Rounded here already, so that a move into a shard changes no score.
         case when v_is_half then e.embedding::@vector@.halfvec::@vector@.vector else e.embedding end
  from unnest(write_vectors.chunk_ids, write_vectors.embeddings) e (chunk_id, embedding)
  -- Some may be gone since their embedding was asked for; their locks keep the others from going now.
  join unnest(v_chunk_ids) c (id) on c.id = e.chunk_id
  order by e.chunk_id
  on conflict (tenant_id, collection_id, vector_space_id, chunk_id) do update set embedding = excluded.embedding;

  delete from braid_store.embedding_jobs j
  where j.ctid = any (array(
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
  'Stores embeddings of chunks in the collection''s vector space and takes their jobs off its outbox. Chunks that are gone '
  'are passed over. Returns how many were stored.';
