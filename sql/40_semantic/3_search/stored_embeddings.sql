create or replace function braid_store.stored_embeddings(
  tenant_id int,
  collection braid_store.collections,
  chunk_ids bigint[]
)
returns table (chunk_id bigint, embedding @vector@.vector)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
-- While chunk_vectors has a page or two, each id would be looked up by reading all of it.
set enable_seqscan = off
as $$
declare
  v_shard_id int := (braid_store.serving_shard(tenant_id, collection)).id;
  -- As in nearest_among.
  v_has_written boolean := v_shard_id is null or exists (
    select from braid_store.chunk_vectors v
    where v.tenant_id = stored_embeddings.tenant_id and v.collection_id = (stored_embeddings.collection).id
      and v.vector_space_id = (stored_embeddings.collection).vector_space_id);
begin
  if not v_has_written then
    return query execute format($query$
      select u.chunk_id, s.embedding
      from unnest($2) u (chunk_id),
           lateral (
             select s.embedding::@vector@.vector as embedding from braid_store.vectors_%s s
             where s.tenant_id = $1 and s.chunk_id = u.chunk_id
             offset 0
           ) s
      $query$, v_shard_id)
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
    case when v_shard_id is null then 'null' else 's.embedding::@vector@.vector' end,
    case when v_shard_id is not null then
      format('left join lateral (select s.embedding from braid_store.vectors_%s s '
             'where s.tenant_id = $1 and s.chunk_id = u.chunk_id offset 0) s on true', v_shard_id)
    end)
  using tenant_id, chunk_ids, collection.id, collection.vector_space_id;
end
$$;

comment on function braid_store.stored_embeddings(int, braid_store.collections, bigint[]) is
  'The embeddings of chunks. Chunks without one are left out.';
