create or replace function braid_store.enqueue_chunks(
  tenant_id int,
  collection braid_store.collections,
  inout last_id bigint,
  out chunk_count int,
  out has_skipped boolean
)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  c_batch_size constant int := 1000;
  v_space braid_store.collections := enqueue_chunks.collection;
  v_chunk_ids bigint[];
  v_locked_ids bigint[];
begin
  v_chunk_ids := braid_store.next_chunk_ids(enqueue_chunks.tenant_id, v_space.id, enqueue_chunks.last_id, c_batch_size);
  last_id := v_chunk_ids[cardinality(v_chunk_ids)];

  v_chunk_ids := array(
    select u.chunk_id
    from unnest(braid_store.unembedded(enqueue_chunks.tenant_id, v_space, v_chunk_ids)) u (chunk_id)
    where not exists (
      select from braid_store.embedding_jobs j
      where j.tenant_id = enqueue_chunks.tenant_id and j.collection_id = v_space.id
        and j.vector_space_id = v_space.vector_space_id and j.chunk_id = u.chunk_id
      offset 0));
  -- The lock keeps chunks from being deleted while their jobs stay behind. Skip locked chunks instead of waiting,
  -- because this transaction keeps its own locks until it ends.
  v_locked_ids := array(
    select c.id
    from unnest(v_chunk_ids) u (id),
         lateral (
           select c.id from braid_store.chunks c where c.tenant_id = enqueue_chunks.tenant_id and c.id = u.id
           for key share skip locked
           offset 0
         ) c);
  insert into braid_store.embedding_jobs (tenant_id, collection_id, vector_space_id, chunk_id)
  select enqueue_chunks.tenant_id, v_space.id, v_space.vector_space_id, u.chunk_id
  from unnest(v_locked_ids) u (chunk_id)
  on conflict do nothing;
  chunk_count := cardinality(v_locked_ids);
  -- A chunk that is being deleted may stay after all, after a rollback. A deleted chunk is no longer visible here.
  has_skipped := exists (
    select
    from (select unnest(v_chunk_ids) as id except select unnest(v_locked_ids)) u,
         lateral (
           select from braid_store.chunks c where c.tenant_id = enqueue_chunks.tenant_id and c.id = u.id offset 0
         ) c);
end
$$;

comment on function braid_store.enqueue_chunks(int, braid_store.collections, bigint) is
  'Put up to 1000 chunks with ids after last_id into the outbox of a vector space, except chunks that have a vector '
  'or a job there. last_id: returns the last id looked at, or null after the end. chunk_count: the number of chunks '
  'put in. has_skipped: whether chunks were left out because another session had locked them.';
