create or replace function braid_store.represent_duplicates(shard braid_store.vector_shards, hashes bigint[])
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
as $$
begin
  execute format($query$
    update braid_store.vectors_%1$s d
    set is_duplicate = false
    where d.ctid = any (array(
      select distinct on (d.embedding_hash, d.embedding) d.ctid
      from (select distinct unnest($2) as hash) h,
           lateral (
             select d.ctid, d.embedding_hash, d.embedding, d.chunk_id
             from braid_store.vectors_%1$s d
             where d.tenant_id = $1 and d.embedding_hash = h.hash and d.is_duplicate
               and not exists (
                 select from braid_store.vectors_%1$s r
                 where r.tenant_id = $1 and r.embedding_hash = h.hash and not r.is_duplicate
                   and r.embedding operator(@vector@.=) d.embedding
                 offset 0)
             offset 0
           ) d
      order by d.embedding_hash, d.embedding, d.chunk_id))
    $query$, shard.id)
  using shard.tenant_id, hashes;
end
$$;

comment on function braid_store.represent_duplicates(braid_store.vector_shards, bigint[]) is
  'Put one vector of each set of equal vectors into a shard''s index if the index has lost the set''s '
  'representative. hashes: the hashes of the vectors.';
