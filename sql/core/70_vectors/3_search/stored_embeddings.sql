create or replace function braid_store.stored_embeddings(
  tenant_id int,
  collection braid_store.collections,
  chunk_ids bigint[],
  shard braid_store.serving_shard default null
)
returns table (chunk_id bigint, embedding @vector@.vector)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
-- While chunk_vectors has only a page or two, the planner would read the whole table for each id.
set enable_seqscan = off
as $$
begin
  if shard.has_written is null then
    shard := braid_store.serving_shard(tenant_id, collection);
  end if;
  if not shard.has_written and shard.id is not null then
    return query execute format($query$
      select u.chunk_id, s.embedding
      from unnest($2) u (chunk_id),
           lateral (
             select s.embedding::@vector@.vector as embedding from braid_store.vectors_%s s
             where s.tenant_id = $1 and s.chunk_id = u.chunk_id
             offset 0
           ) s
      $query$, shard.id)
    using tenant_id, chunk_ids;
    return;
  end if;
  return query execute format($query$
    select u.chunk_id, coalesce(w.embedding, %s)
    from unnest($2) u (chunk_id)
    left join lateral (
      select v.embedding from braid_store.chunk_vectors v
      where v.tenant_id = $1 and v.collection_id = $3 and v.vector_space_id = $4 and v.chunk_id = u.chunk_id
      offset 0
    ) w on true
    %s
    where coalesce(w.embedding, %1$s) is not null
    $query$,
    case when shard.id is null then 'null' else 's.embedding::@vector@.vector' end,
    case when shard.id is not null then
      format('left join lateral (select s.embedding from braid_store.vectors_%s s '
             'where s.tenant_id = $1 and s.chunk_id = u.chunk_id offset 0) s on true', shard.id)
    end)
  using tenant_id, chunk_ids, collection.id, collection.vector_space_id;
end
$$;

comment on function braid_store.stored_embeddings(int, braid_store.collections, bigint[], braid_store.serving_shard) is
  'Return the embeddings of chunks. Chunks without one are left out. shard: the collection''s shard, if the caller '
  'already has it.';
