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
as $$
#variable_conflict use_column
declare
  v_collection_id int := write_vectors.collection.id;
  v_count int;
begin
  insert into braid_store.vector_placement (tenant_id, collection_id, shard_id)
  select write_vectors.tenant_id, v_collection_id, case when s.dimensions <= 2000 then 1 else 2 end
  from braid_store.vector_spaces s
  where s.id = write_vectors.collection.vector_space_id
  on conflict do nothing;

  -- Jobs, then chunks, in the order of their ids, as remove_chunks locks them.
  perform
  from braid_store.embedding_jobs j
  where j.tenant_id = write_vectors.tenant_id and j.collection_id = v_collection_id
    and j.chunk_id = any (write_vectors.chunk_ids)
  order by j.chunk_id
  for update;
  perform
  from braid_store.chunks c
  where c.tenant_id = write_vectors.tenant_id and c.collection_id = v_collection_id
    and c.id = any (write_vectors.chunk_ids)
  order by c.id
  for key share;

  insert into braid_store.chunk_vectors (shard_id, tenant_id, collection_id, chunk_id, embedding)
  select s.shard_id, write_vectors.tenant_id, v_collection_id, e.chunk_id, e.embedding
  from unnest(write_vectors.chunk_ids, write_vectors.embeddings) e (chunk_id, embedding)
  -- The chunk may be gone since its embedding was asked for; its lock keeps it from going now.
  join lateral (
    select from braid_store.chunks c
    where c.tenant_id = write_vectors.tenant_id and c.id = e.chunk_id and c.collection_id = v_collection_id
    offset 0
  ) c on true
  cross join braid_store.shards_written(write_vectors.tenant_id, v_collection_id) s
  order by e.chunk_id
  on conflict (shard_id, tenant_id, collection_id, chunk_id) do update set embedding = excluded.embedding;

  with done as (
    delete from braid_store.embedding_jobs j
    where j.tenant_id = write_vectors.tenant_id and j.collection_id = v_collection_id
      and j.chunk_id = any (write_vectors.chunk_ids)
  )
  select count(*) into v_count
  from braid_store.chunks c
  where c.tenant_id = write_vectors.tenant_id and c.collection_id = v_collection_id
    and c.id = any (write_vectors.chunk_ids);
  return v_count;
end
$$;

comment on function braid_store.write_vectors(int, braid_store.collections, bigint[], @vector@.vector[]) is
  'Stores embeddings of chunks in every shard that is written, and takes their jobs off the outbox. Chunks that are '
  'gone are passed over. Returns how many were stored.';
