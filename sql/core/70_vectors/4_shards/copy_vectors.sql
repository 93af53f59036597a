create or replace function braid_store.copy_vectors(
  shard braid_store.vector_shards,
  from_shard_id int,
  max_count int
)
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
  v_duplicate_count int;
  v_last_id bigint;
begin
  -- The batch is read without a sort. The planner has no statistics, and would otherwise read and sort all remaining
  -- rows for each batch.
  execute format($query$
    with batch as materialized (
      select distinct on (b.chunk_id) b.chunk_id, b.embedding
      from (
        (select v.chunk_id, v.embedding, 1 as place from braid_store.chunk_vectors v
         where v.tenant_id = $1 and v.collection_id = $2 and v.vector_space_id = $3 and v.chunk_id > $4
         order by v.chunk_id limit $5)
        %2$s
      ) b
      order by b.chunk_id, b.place
      limit $5
    ), %3$s, copied as (
      insert into braid_store.vectors_%1$s (tenant_id, chunk_id, embedding, embedding_hash, is_duplicate)
      select $1, h.chunk_id, h.embedding, h.embedding_hash, h.is_duplicate from hashed h order by h.chunk_id
      returning is_duplicate
    )
    select count(*), max(b.chunk_id), (select count(*) from copied c where c.is_duplicate) from batch b
    $query$,
    shard.id,
    case when from_shard_id is not null then
      format('union all (select v.chunk_id, v.embedding::@vector@.vector, 2 from braid_store.vectors_%s v '
             'where v.tenant_id = $1 and v.chunk_id > $4 order by v.chunk_id limit $5)', from_shard_id)
    end,
    braid_store.hashed_batch(shard))
  into v_count, v_last_id, v_duplicate_count
  using shard.tenant_id, shard.collection_id, shard.vector_space_id, shard.copied_chunk_id, max_count;

  update braid_store.vector_shards s
  set copied_chunk_id = coalesce(v_last_id, s.copied_chunk_id), vector_count = s.vector_count + v_count,
      duplicate_count = s.duplicate_count + v_duplicate_count,
      index_type = case when v_count = 0 then braid_store.choose_index_type(shard) else s.index_type end,
      state = case when v_count = 0 then 'indexing' else s.state end
  where s.tenant_id = shard.tenant_id and s.collection_id = shard.collection_id
    and s.vector_space_id = shard.vector_space_id and s.id = shard.id;
  return v_count;
end
$$;

comment on function braid_store.copy_vectors(braid_store.vector_shards, int, int) is
  'Copy the next vectors, at most max_count, in the order of chunk ids, into a shard that no search reads yet. '
  'from_shard_id: the shard that serves now and is copied as well; null if there is none. Return the number of '
  'vectors copied; at 0 the shard is ready to be indexed. Vectors written later for chunks already copied stay in '
  'chunk_vectors. Vectors of chunks that are deleted meanwhile stay in the shard; searches skip them.';
