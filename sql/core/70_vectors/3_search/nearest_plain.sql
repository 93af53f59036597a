create or replace function braid_store.nearest_plain(
  tenant_id int,
  collection braid_store.collections,
  distance text,
  shard braid_store.serving_shard,
  query_embedding @vector@.vector,
  further_ids bigint[],
  candidate_count int,
  page_count int,
  is_fused boolean,
  out chunk_ids bigint[],
  out distances float8[],
  out vectors @vector@.vector[],
  out near_count int,
  out counted int,
  out enough_count int,
  out mode text
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
-- The tables have no statistics. Without these settings, the planner would read and sort whole tables for each look-up,
-- and would not use the vector index.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
#variable_conflict use_column
declare
  -- This call loads pgvector's library, which defines its settings.
  v_dimensions int := @vector@.vector_dims(query_embedding);
  v_ef_search int;
  v_far_distance float8 := shard.far_distance
    * case when distance = 'inner_product' then nullif(@vector@.vector_norm(query_embedding), 0) else 1 end;
  v_settings text[] := array[current_setting('hnsw.ef_search'), current_setting('hnsw.iterative_scan')];
  v_operator text := braid_store.distance_operator(distance);
  v_query text;
begin
  if shard.id is null then
    mode := 'exact';
    select array_agg(m.chunk_id), array_agg(m.distance), array_agg(m.embedding), count(*) filter (where m.is_near)
    into chunk_ids, distances, vectors, near_count
    from (
      (
        select true as is_near, v.chunk_id, v.embedding,
               case nearest_plain.distance
                 when 'cosine' then v.embedding operator(@vector@.<=>) nearest_plain.query_embedding
                 when 'l2' then v.embedding operator(@vector@.<->) nearest_plain.query_embedding
                 else v.embedding operator(@vector@.<#>) nearest_plain.query_embedding end as distance
        from braid_store.chunk_vectors v
        where v.tenant_id = nearest_plain.tenant_id and v.collection_id = nearest_plain.collection.id
          and v.vector_space_id = nearest_plain.collection.vector_space_id
        order by 4
        limit candidate_count + 1
      )
      union all
      select false, u.chunk_id, v.embedding,
             case nearest_plain.distance
               when 'cosine' then v.embedding operator(@vector@.<=>) nearest_plain.query_embedding
               when 'l2' then v.embedding operator(@vector@.<->) nearest_plain.query_embedding
               else v.embedding operator(@vector@.<#>) nearest_plain.query_embedding end
      from unnest(further_ids) u (chunk_id),
           lateral (
             select v.embedding from braid_store.chunk_vectors v
             where v.tenant_id = nearest_plain.tenant_id and v.collection_id = nearest_plain.collection.id
               and v.vector_space_id = nearest_plain.collection.vector_space_id and v.chunk_id = u.chunk_id
             offset 0
           ) v
    ) m;
    near_count := coalesce(near_count, 0);
    counted := least(near_count, candidate_count);
    enough_count := 0;
    if distances[candidate_count + 1] = distances[candidate_count] and near_count > candidate_count then
      mode := null;
    end if;
    return;
  end if;

  v_ef_search := ceil(least(1001, braid_store.needed_ef_search(
    case when is_fused then shard.ef_search_fused else shard.ef_search end, shard.ef_search_100, candidate_count,
    least(page_count, candidate_count))));
  -- Without a measured width, the index is not used.
  if (shard.is_indexed and shard.ef_search is not null and v_ef_search <= 1000
      and shard.vector_count > 2 * candidate_count
      and shard.duplicate_count = 0 and shard.storage <> 'binary') is not true
     or distance = 'l2' and shard.index_type = 'halfvec' and @vector@.vector_norm(query_embedding) > 65504 then
    return;
  end if;
  v_query := format($query$
    select array_agg(m.chunk_id), array_agg(m.distance), array_agg(m.embedding), count(*) filter (where m.source = 1),
           count(*) filter (where m.source < 3), $7, 'hnsw'
    from (
      select m.source, m.chunk_id, m.embedding, m.embedding %1$s $1 as distance
      from (
        (
          select 1 as source, v.chunk_id, v.embedding::@vector@.vector
          from (
            select v.chunk_id, v.embedding from braid_store.vectors_%2$s v
            where v.tenant_id = $2 and not v.is_duplicate
            order by %3$s
          ) v
          %4$s
          limit $5
        )
        %5$s
        union all
        select 3, u.chunk_id, e.embedding
        from unnest($6) u (chunk_id),
             lateral (
               %6$s
               select e.embedding::@vector@.vector from braid_store.vectors_%2$s e
               where e.tenant_id = $2 and e.chunk_id = u.chunk_id
               limit 1
             ) e
      ) m
    ) m
    $query$,
    v_operator, shard.id,
    braid_store.shard_sort_key(shard.storage, shard.index_type, v_dimensions, distance),
    case when shard.has_written then 'where ' || braid_store.not_overridden() end,
    case when shard.has_written then format(
      'union all (select 2, w.chunk_id, w.embedding from braid_store.chunk_vectors w where w.tenant_id = $2 '
      'and w.collection_id = $3 and w.vector_space_id = $4 order by w.embedding %s $1 limit $7 + 1)', v_operator) end,
    case when shard.has_written then
      'select w.embedding from braid_store.chunk_vectors w where w.tenant_id = $2 and w.collection_id = $3 '
      'and w.vector_space_id = $4 and w.chunk_id = u.chunk_id union all' end);
  loop
    perform set_config('hnsw.iterative_scan', 'off', true), set_config('hnsw.ef_search', v_ef_search::text, true);
    execute v_query into chunk_ids, distances, vectors, counted, near_count, enough_count, mode
    using query_embedding, tenant_id, collection.id, collection.vector_space_id,
          case
            when shard.has_written then greatest(candidate_count, v_ef_search)
            when shard.index_type = 'halfvec' then least(candidate_count + candidate_count / 10 + 10,
                                                         greatest(candidate_count, v_ef_search))
            else candidate_count end,
          further_ids, candidate_count;
    exit when v_far_distance is null or (
      select count(*) filter (where u.distance <= v_far_distance) >= least(10, count(*))
      from unnest(distances[:near_count]) u (distance));
    if shard.far_ef_search is null then
      mode := null;
      exit;
    end if;
    exit when shard.far_ef_search <= v_ef_search;
    v_ef_search := shard.far_ef_search;
  end loop;
  perform set_config('hnsw.ef_search', v_settings[1], true),
          set_config('hnsw.iterative_scan', v_settings[2], true);
  if shard.index_type = 'halfvec'
     and braid_store.halfvec_is_unsure(distance, query_embedding, distances[:counted], candidate_count)
     -- More written vectors than asked for may be equally near.
     or near_count - counted > candidate_count and distances[near_count] = distances[near_count - 1] then
    mode := null;
  end if;
end
$$;

comment on function braid_store.nearest_plain(int, braid_store.collections, text, braid_store.serving_shard,
                                              @vector@.vector, bigint[], int, int, boolean) is
  'Find the chunks nearest to a query without a filter, and measure further chunks, in one statement that also '
  'returns their vectors. The first near_count elements are the chunks found, from the index and from newer '
  'vectors. The other elements are the chunks of further_ids that have a vector. counted: how many of the first must '
  'exist, of which at least enough_count. is_fused, mode: as in semantic_candidates; mode is null if this search needs '
  'semantic_candidates, because an index is missing, its answer is uncertain, or distances tie for the last place.';
