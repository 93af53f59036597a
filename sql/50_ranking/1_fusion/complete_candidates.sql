create or replace function braid_store.complete_candidates(
  request braid_store.search_request,
  leg_candidates braid_store.found_candidates
)
returns braid_store.fused_candidate[]
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
  v_tenant_id int := request.tenant_id;
  v_collection braid_store.collections := request.collection;
  v_query braid_store.text_query := request.query;
  v_full_text braid_store.candidate[] := leg_candidates.full_text;
  v_semantic braid_store.candidate[] := leg_candidates.semantic;
  v_distance text := (select s.distance from braid_store.vector_spaces s where s.id = v_collection.vector_space_id);
  v_without_text bigint[];
  v_without_similarity bigint[];
  v_scores float8[];
  v_near record;
begin
  -- A full join is never run as a nested loop, however few rows the planner expects.
  select coalesce(array_agg(s.chunk_id) filter (where f.chunk_id is null), '{}'),
         coalesce(array_agg(f.chunk_id) filter (where s.chunk_id is null), '{}')
  into v_without_text, v_without_similarity
  from unnest(v_full_text) f
  full join unnest(v_semantic) s on s.chunk_id = f.chunk_id;

  if v_query.conditions <> '{}' or v_query.required_words > 1 then
    v_without_text := braid_store.demanded_chunks(v_tenant_id, v_collection, v_without_text, v_query);
  end if;
  v_scores := braid_store.exact_scores(v_tenant_id, v_collection, v_without_text, v_query);
  v_near := braid_store.nearest_among(
    v_tenant_id, v_collection, v_distance, (braid_store.serving_shard(v_tenant_id, v_collection)).id,
    request.query_embedding, v_without_similarity);

  return array(
    select row(c.chunk_id, null, coalesce(max(c.full_text_score), 0), null, max(c.full_text_rank),
               max(c.semantic_score), null, max(c.semantic_rank), null, null, null)::braid_store.fused_candidate
    from (
      select f.chunk_id, f.score as full_text_score, f.rank as full_text_rank,
             null::float8 as semantic_score, null::int as semantic_rank
      from unnest(v_full_text) f
      union all
      select s.chunk_id, null, null, s.score, s.rank from unnest(v_semantic) s
      union all
      select t.chunk_id, t.score, null, null, null from unnest(v_without_text, v_scores) t (chunk_id, score)
      union all
      select n.chunk_id, null, null, case v_distance when 'cosine' then 1 - n.distance when 'inner_product' then -n.distance
                                                     else 1 / (1 + n.distance) end, null
      from unnest(v_near.chunk_ids, v_near.distances) n (chunk_id, distance)
    ) c
    group by c.chunk_id);
end
$$;

comment on function braid_store.complete_candidates(braid_store.search_request, braid_store.found_candidates) is
  'Returns the candidates of both legs together, each with its exact score in both. Full text: BM25; 0 if the query '
  'does not match. Semantic: the similarity; null if the chunk has no embedding. A rank is null if that leg did not '
  'find the chunk.';
