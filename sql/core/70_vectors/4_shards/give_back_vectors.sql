create or replace function braid_store.give_back_vectors(shard braid_store.vector_shards, max_count int)
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
  v_ids bigint[];
  v_free_ids bigint[];
  v_count int;
begin
  execute format('select array(select v.chunk_id from braid_store.vectors_%s v where v.tenant_id = $1 '
                 'order by v.chunk_id limit $2)', shard.id)
  into v_ids
  using shard.tenant_id, max_count;
  -- These chunks are not being written or deleted. They stay locked until the end of the transaction, because otherwise
  -- the vector of a deleted chunk could come back.
  v_free_ids := array(
    select c.id
    from unnest(v_ids) u (id),
         lateral (
           select c.id from braid_store.chunks c where c.tenant_id = shard.tenant_id and c.id = u.id
           for update skip locked
           offset 0
         ) c);
  execute format($query$
    with moved as (
      delete from braid_store.vectors_%1$s v
      where v.ctid = any (array(
        select v.ctid
        from (
          select unnest($4) as id
          union all
          select u.id from unnest($5) u (id)
          where not exists (select from braid_store.chunks c where c.tenant_id = $1 and c.id = u.id offset 0)
        ) u,
        lateral (
          select v.ctid from braid_store.vectors_%1$s v where v.tenant_id = $1 and v.chunk_id = u.id offset 0
        ) v))
      returning v.chunk_id, v.embedding
    ), kept as (
      insert into braid_store.chunk_vectors (tenant_id, collection_id, vector_space_id, chunk_id, embedding)
      select $1, $2, $3, m.chunk_id, m.embedding from moved m where m.chunk_id = any ($4)
      on conflict do nothing
    )
    select count(*) from moved
    $query$, shard.id)
  into v_count
  using shard.tenant_id, shard.collection_id, shard.vector_space_id, v_free_ids, v_ids;

  update braid_store.vector_shards s
  set vector_count = greatest(s.vector_count - v_count, 0),
      -- After this move, the shard may have duplicates whose representative has left the index. So searches no longer
      -- use the index.
      ef_search = case when s.duplicate_count > 0 then null else s.ef_search end,
      is_outdated = s.is_outdated or s.duplicate_count > 0,
      state = case when v_ids = '{}' then 'retired' else s.state end,
      retired_by = case when v_ids = '{}' then pg_current_xact_id() end
  where s.tenant_id = shard.tenant_id and s.collection_id = shard.collection_id
    and s.vector_space_id = shard.vector_space_id and s.id = shard.id;
  return v_count;
end
$$;

comment on function braid_store.give_back_vectors(braid_store.vector_shards, int) is
  'Move at most max_count vectors of a shard that has become too small back to chunk_vectors, and retire the shard '
  'once it is empty. Return the number of vectors moved. It is also 0 if other sessions are writing all of their '
  'chunks.';
