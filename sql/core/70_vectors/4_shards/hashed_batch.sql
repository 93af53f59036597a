create or replace function braid_store.hashed_batch(shard braid_store.vector_shards)
returns text
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select format($query$
    stored as (
      select b.chunk_id, b.embedding::@vector@.%2$s as embedding,
             hash_array_extended(b.embedding::@vector@.%2$s::@vector@.vector::real[], 0) as embedding_hash
      from batch b
      offset 0
    ), hashed as (
      select s.chunk_id, s.embedding, s.embedding_hash,
             row_number() over (partition by s.embedding_hash, s.embedding order by s.chunk_id) > 1
             or exists (
               -- Lock the representative's row, so that a concurrent remove_vectors waits and then sees this duplicate.
               -- Skip a representative that is being deleted, even though it may stay in the index; the index then has
               -- two equal vectors.
               select from braid_store.vectors_%1$s r
               where r.tenant_id = $1 and r.embedding_hash = s.embedding_hash and not r.is_duplicate
                 and r.embedding operator(@vector@.=) s.embedding
               for key share skip locked
               offset 0) as is_duplicate
      from stored s
    )
    $query$, shard.id, case shard.storage when 'halfvec' then 'halfvec' else 'vector' end);
$$;

comment on function braid_store.hashed_batch(braid_store.vector_shards) is
  'Return SQL that extends a batch of vectors on their way into a shard. It reads batch (chunk_id and embedding) and '
  'defines hashed, which adds the other columns of the shard. A vector is a duplicate if the shard, or an earlier '
  'row of the batch, has an equal vector for the index. In the SQL, $1 is the tenant.';
