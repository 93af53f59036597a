create or replace function braid_store.update_centroid(tenant_id int, collection braid_store.collections)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  -- The mean of a sample of this size lies within a hundredth of the vectors' spread from the true mean.
  c_sample constant int := 20000;
  v_distance text := (select s.distance from braid_store.vector_spaces s
                      where s.id = update_centroid.collection.vector_space_id);
  v_shard braid_store.serving_shard := braid_store.serving_shard(update_centroid.tenant_id, update_centroid.collection);
  v_share float8;
  v_count bigint := (braid_store.due_centroid(update_centroid.tenant_id, update_centroid.collection)).vector_count;
begin
  if v_count is null then
    delete from braid_store.centroids c
    where c.tenant_id = update_centroid.tenant_id and c.collection_id = update_centroid.collection.id
      and c.vector_space_id = update_centroid.collection.vector_space_id;
    return;
  end if;
  -- Take the same share of the shard and of the vectors outside. A vector that was written again counts twice until the
  -- shard absorbs it.
  v_share := least(1, 1.1 * c_sample / v_count);
  execute format($query$
    insert into braid_store.centroids (tenant_id, collection_id, vector_space_id, mean, mean_square, vector_count)
    select $1, $2, $3, @vector@.avg(%s), avg(@vector@.vector_norm(v.embedding) ^ 2), $4
    from (
      select v.chunk_id, v.embedding::@vector@.vector
      from braid_store.chunk_vectors v
      where v.tenant_id = $1 and v.collection_id = $2 and v.vector_space_id = $3
        and hashint8extended(v.chunk_id, 0) between -$5 and $5
      %s
      limit $6
    ) v (chunk_id, embedding)
    having count(*) > 0
    on conflict (tenant_id, collection_id, vector_space_id) do update
    set mean = excluded.mean, mean_square = excluded.mean_square, vector_count = excluded.vector_count,
        computed_at = excluded.computed_at
    $query$,
    case v_distance when 'cosine' then '@vector@.l2_normalize(v.embedding)' else 'v.embedding' end,
    case when v_shard.id is not null then
      format('union all select s.chunk_id, s.embedding::@vector@.vector '
             'from braid_store.vectors_%s s tablesample system (%s) repeatable (0) where s.tenant_id = $1',
             v_shard.id, 100 * v_share) end)
  using update_centroid.tenant_id, update_centroid.collection.id, update_centroid.collection.vector_space_id, v_count,
        case when v_share < 1 then (v_share * 9.2e18)::bigint else 9223372036854775807 end, c_sample;
end
$$;

comment on function braid_store.update_centroid(int, braid_store.collections) is
  'Compute the centroid of a tenant''s part of a collection again, from at most 20000 of its vectors. Delete it if '
  'there are too few vectors for one.';
