create or replace function braid_store.remove_from_shard(tenant_id int, shard_id int, chunk_ids bigint[])
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_hashes bigint[];
begin
  -- Lock the rows before the last statement looks for duplicates. Then that statement also sees duplicates added by a
  -- concurrent absorb_vectors.
  execute format($query$
    select array_agg(v.embedding_hash)
    from (select unnest($2) as chunk_id order by 1) u,
         lateral (
           select v.embedding_hash from braid_store.vectors_%s v
           where v.tenant_id = $1 and v.chunk_id = u.chunk_id
           for update
           offset 0
         ) v
    $query$, shard_id)
  into v_hashes
  using tenant_id, chunk_ids;
  execute format($query$
    delete from braid_store.vectors_%1$s v
    where v.ctid = any (array(
      select v.ctid
      from unnest($2) u (chunk_id),
           lateral (
             select v.ctid from braid_store.vectors_%1$s v
             where v.tenant_id = $1 and v.chunk_id = u.chunk_id and v.is_duplicate
             offset 0
           ) v))
    $query$, shard_id)
  using tenant_id, chunk_ids;
  -- A vector that represents duplicates stays until the last of them is deleted, because the index leads to them only
  -- through it. Searches skip its own chunk, which no longer exists.
  execute format($query$
    delete from braid_store.vectors_%1$s v
    where v.ctid = any (array(
      select v.ctid
      from (select distinct unnest($3) as hash) h,
           lateral (
             select v.ctid, v.chunk_id, v.embedding_hash, v.embedding from braid_store.vectors_%1$s v
             where v.tenant_id = $1 and v.embedding_hash = h.hash and not v.is_duplicate
             offset 0
           ) v
      where (v.chunk_id = any ($2)
             or not exists (select from braid_store.chunks c where c.tenant_id = $1 and c.id = v.chunk_id offset 0))
        and not %2$s))
    $query$, shard_id, braid_store.has_duplicates(shard_id, 'v'))
  using tenant_id, chunk_ids, v_hashes;
end
$$;

comment on function braid_store.remove_from_shard(int, int, bigint[]) is
  'Delete the vectors of chunks from a shard that has duplicates. A vector stays if it represents remaining '
  'duplicates in the index.';
