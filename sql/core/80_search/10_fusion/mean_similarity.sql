create or replace function braid_store.mean_similarity(
  tenant_id int,
  collection braid_store.collections,
  distance text,
  query_embedding @vector@.vector
)
returns float8
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  -- A tenant's part of a collection with at most 1000 vectors needs no centroid: comparing the query with all of them
  -- is as fast.
  c_measured constant int := 1000;
  v_mean @vector@.vector;
  v_mean_square float8;
  v_shard_id int;
  v_value float8;
begin
  select c.mean, c.mean_square into v_mean, v_mean_square
  from braid_store.centroids c
  where c.tenant_id = mean_similarity.tenant_id and c.collection_id = mean_similarity.collection.id
    and c.vector_space_id = mean_similarity.collection.vector_space_id;
  if found then
    -- Dot products are linear, so the mean of the products is the product with the mean. The mean square distance is
    -- |q|² - 2 q·mean + mean |v|².
    return case mean_similarity.distance
      when 'cosine' then -(v_mean operator(@vector@.<#>) @vector@.l2_normalize(mean_similarity.query_embedding))
      when 'inner_product' then -(v_mean operator(@vector@.<#>) mean_similarity.query_embedding)
      else 1 / (1 + sqrt(greatest(0, @vector@.vector_norm(mean_similarity.query_embedding) ^ 2::float8
                                     + 2 * (v_mean operator(@vector@.<#>) mean_similarity.query_embedding)
                                     + v_mean_square)))
    end;
  end if;

  v_shard_id := (braid_store.serving_shard(mean_similarity.tenant_id, mean_similarity.collection)).id;
  execute format($query$
    select avg(v.distance %s)
    from (
      select v.embedding %s $1 as distance from %s where v.tenant_id = $2 %s order by v.chunk_id limit $5
    ) v
    $query$,
    case mean_similarity.distance when 'l2' then '^ 2' end,
    case when v_shard_id is null then braid_store.distance_operator(mean_similarity.distance)
         else '::@vector@.vector ' || braid_store.distance_operator(mean_similarity.distance) end,
    case when v_shard_id is null then 'braid_store.chunk_vectors v'
         else format('braid_store.vectors_%s v', v_shard_id) end,
    case when v_shard_id is null then 'and v.collection_id = $3 and v.vector_space_id = $4' end)
  into v_value
  using mean_similarity.query_embedding, mean_similarity.tenant_id, mean_similarity.collection.id,
        mean_similarity.collection.vector_space_id, c_measured;
  return case mean_similarity.distance when 'cosine' then 1 - v_value when 'inner_product' then -v_value
                                       else 1 / (1 + sqrt(v_value)) end;
end
$$;

comment on function braid_store.mean_similarity(int, braid_store.collections, text, @vector@.vector) is
  'Return the mean similarity of a query to a tenant''s vectors in a collection; for L2, the similarity at the root '
  'mean square distance. Return null if there are no vectors. The mean is computed from the centroid that maintain() '
  'keeps. A part of a collection without a centroid has at most 1000 vectors, and all of them are compared.';
