create or replace function braid_store.nearest_among(
  tenant_id int,
  collection braid_store.collections,
  distance text,
  shard braid_store.serving_shard,
  query_embedding @vector@.vector,
  filtered_ids bigint[],
  out chunk_ids bigint[],
  out distances float8[]
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  v_has_written boolean;
begin
  if shard.has_written is null then
    shard := braid_store.serving_shard(tenant_id, collection);
  end if;
  -- Usually no vector was written since the shard was built. Then only the shard is read.
  v_has_written := shard.has_written or shard.id is null;
  execute format($query$
    select coalesce(array_agg(n.chunk_id), '{}'), coalesce(array_agg(n.distance), '{}')
    from (select u.chunk_id, coalesce(%s) %s $1 as distance from unnest($3) u (chunk_id) %s %s) n
    where n.distance is not null
    $query$,
    concat_ws(', ', case when v_has_written then 'w.embedding' end, case when shard.id is not null
      then 's.embedding' end),
    braid_store.distance_operator(distance),
    case when v_has_written then
      'left join lateral (select v.embedding from braid_store.chunk_vectors v where v.tenant_id = $2 '
      'and v.collection_id = $4 and v.vector_space_id = $5 and v.chunk_id = u.chunk_id offset 0) w on true' end,
    case when shard.id is not null then
      format('left join lateral (select s.embedding::@vector@.vector from braid_store.vectors_%s s '
             'where s.tenant_id = $2 and s.chunk_id = u.chunk_id %s offset 0) s on true',
             shard.id, case when v_has_written then 'and w.embedding is null' end) end)
  into chunk_ids, distances
  using query_embedding, tenant_id, filtered_ids, collection.id, collection.vector_space_id;
end
$$;

comment on function braid_store.nearest_among(int, braid_store.collections, text, braid_store.serving_shard,
                                              @vector@.vector, bigint[]) is
  'Return the distances from a query vector to given chunks, in no order. Chunks without a vector are left out. '
  'shard: the collection''s shard, if the caller already has it.';
