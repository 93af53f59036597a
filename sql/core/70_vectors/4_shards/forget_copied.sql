create or replace function braid_store.forget_copied(shard braid_store.vector_shards, max_count int)
returns int
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
declare
  v_count int;
  v_gone_count int;
  v_last_id bigint;
begin
  -- The batch is read without a sort, as in copy_vectors.
  execute format($query$
    with batch as materialized (
      select s.ctid, s.chunk_id, s.embedding,
             exists (select from braid_store.chunks c where c.tenant_id = $1 and c.id = s.chunk_id offset 0)
             -- A vector that represents others in the index stays. Searches skip it.
             or not s.is_duplicate and %3$s as is_kept
      from braid_store.vectors_%1$s s
      where s.tenant_id = $1 and s.chunk_id > $4
      order by s.chunk_id limit $5
    ), forgotten as (
      delete from braid_store.chunk_vectors v
      where v.tenant_id + 0 = $1 and v.ctid = any (array(
          select v.ctid
          from batch b,
               -- A vector that is being written is skipped and left to absorb_vectors, so that this function never
               -- waits.
               lateral (
                 select v.ctid, v.embedding from braid_store.chunk_vectors v
                 where v.tenant_id = $1 and v.collection_id = $2 and v.vector_space_id = $3 and v.chunk_id = b.chunk_id
                 for update skip locked
                 offset 0
               ) v
          where v.embedding::@vector@.%2$s operator(@vector@.=) b.embedding))
    ), gone as (
      delete from braid_store.vectors_%1$s s
      where s.ctid = any (array(select b.ctid from batch b where not b.is_kept))
      returning 1
    )
    select count(*), max(b.chunk_id), (select count(*) from gone) from batch b
    $query$, shard.id, case shard.storage when 'halfvec' then 'halfvec' else 'vector' end,
    case when shard.duplicate_count > 0 then braid_store.has_duplicates(shard.id, 's') else 'false' end)
  into v_count, v_last_id, v_gone_count
  using shard.tenant_id, shard.collection_id, shard.vector_space_id, shard.forgotten_chunk_id, max_count;

  update braid_store.vector_shards s
  set forgotten_chunk_id = coalesce(v_last_id, 9223372036854775807), vector_count = s.vector_count - v_gone_count
  where s.tenant_id = shard.tenant_id and s.collection_id = shard.collection_id
    and s.vector_space_id = shard.vector_space_id and s.id = shard.id;
  return v_count;
end
$$;

comment on function braid_store.forget_copied(braid_store.vector_shards, int) is
  'Clean up the next max_count vectors after a shard began to serve. Delete them from chunk_vectors, from where they '
  'were copied. Delete vectors from the shard if their chunk was deleted while the shard was built. Return the '
  'number of vectors examined; at 0 all vectors are done.';
