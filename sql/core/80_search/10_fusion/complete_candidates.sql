create or replace function braid_store.complete_candidates(
  request braid_store.search_request,
  leg_candidates braid_store.found_candidates,
  distance text,
  out chunk_ids bigint[],
  out text_scores float8[],
  out text_ranks int[],
  out similarities float8[],
  out near_ranks int[],
  out sparse_scores float8[],
  out sparse_ranks int[],
  out best_text float8,
  out worst_text float8,
  out best_similarity float8,
  out worst_similarity float8,
  out best_sparse float8,
  out worst_sparse float8,
  out similarity_count int,
  out missing_count int
)
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
  v_query braid_store.text_query := request.query;
  v_collection braid_store.collections := request.collection;
  v_full_text braid_store.candidate[] := leg_candidates.full_text;
  v_semantic braid_store.candidate[] := leg_candidates.semantic;
  v_sparse braid_store.candidate[] := coalesce(leg_candidates.sparse, '{}');
  v_asks_sparse boolean := (request.sparse).terms is not null;
  v_without_text bigint[];
  v_without_sparse bigint[];
  v_without_similarity bigint[];
  v_scores float8[];
  v_sparse_scores float8[];
  v_near braid_store.measured_chunks;
begin
  -- The planner never runs a full join as a nested loop, even if it expects few rows. Searches without a sparse leg
  -- have their own branch, because each join costs time.
  if v_asks_sparse then
    select array_agg(c.chunk_id), array_agg(c.chunk_id) filter (where not c.is_in_text),
           array_agg(c.chunk_id) filter (where not c.is_near), array_agg(c.chunk_id) filter (where not c.is_sparse)
    into chunk_ids, v_without_text, v_without_similarity, v_without_sparse
    from (
      select coalesce(f.chunk_id, s.chunk_id, p.chunk_id) as chunk_id, f.chunk_id is not null as is_in_text,
             s.chunk_id is not null as is_near, p.chunk_id is not null as is_sparse
      from unnest(v_full_text) f
      full join unnest(v_semantic) s on s.chunk_id = f.chunk_id
      full join unnest(v_sparse) p on p.chunk_id = coalesce(f.chunk_id, s.chunk_id)
    ) c;
  else
    select array_agg(s.chunk_id) filter (where f.chunk_id is null),
      array_agg(f.chunk_id) filter (where s.chunk_id is null)
    into v_without_text, v_without_similarity
    from unnest(v_full_text) f
    full join unnest(v_semantic) s on s.chunk_id = f.chunk_id;
  end if;

  if v_without_text is not null then
    if cardinality(v_query.conditions) > 0 or v_query.required_words > 1 then
      v_without_text := braid_store.demanded_chunks(request.tenant_id, v_collection, v_without_text, v_query);
    end if;
    v_scores := braid_store.exact_scores(request.tenant_id, v_collection, v_without_text, v_query);
  end if;
  if v_without_similarity is not null and request.query_embedding is not null then
    v_near := braid_store.nearest_among(
      request.tenant_id, v_collection, distance, leg_candidates.shard, request.query_embedding, v_without_similarity);
  end if;
  if v_without_sparse is not null then
    v_sparse_scores := braid_store.exact_sparse_scores(request.tenant_id, v_collection.id, v_without_sparse,
      request.sparse);
  end if;

  if v_asks_sparse then
    select array_agg(c.chunk_id), array_agg(c.text_score), array_agg(c.text_rank), array_agg(c.similarity),
           array_agg(c.near_rank), array_agg(c.sparse_score), array_agg(c.sparse_rank), max(c.text_score),
             min(c.text_score),
           max(c.similarity), min(c.similarity), max(c.sparse_score), min(c.sparse_score),
           count(c.similarity), count(*) - count(c.similarity)
    into chunk_ids, text_scores, text_ranks, similarities, near_ranks, sparse_scores, sparse_ranks, best_text,
      worst_text,
         best_similarity, worst_similarity, best_sparse, worst_sparse, similarity_count, missing_count
    from (
      select u.chunk_id, coalesce(f.score, t.score, 0) as text_score, f.rank as text_rank, s.rank as near_rank,
             p.rank as sparse_rank, coalesce(p.score, x.score, 0) as sparse_score,
             case when s.chunk_id is not null then s.score
                  when complete_candidates.distance = 'cosine' then 1 - n.distance
                  when complete_candidates.distance = 'inner_product' then -n.distance
                  else 1 / (1 + n.distance) end as similarity
      from unnest(chunk_ids) u (chunk_id)
      full join unnest(v_full_text) f on f.chunk_id = u.chunk_id
      full join unnest(v_without_text, v_scores) t (chunk_id, score) on t.chunk_id = u.chunk_id
      full join unnest(v_semantic) s on s.chunk_id = u.chunk_id
      full join unnest(v_near.chunk_ids, v_near.distances) n (chunk_id, distance) on n.chunk_id = u.chunk_id
      full join unnest(v_sparse) p on p.chunk_id = u.chunk_id
      full join unnest(v_without_sparse, v_sparse_scores) x (chunk_id, score) on x.chunk_id = u.chunk_id
    ) c;
  else
    select array_agg(c.chunk_id), array_agg(c.text_score), array_agg(c.text_rank), array_agg(c.similarity),
           array_agg(c.near_rank), max(c.text_score), min(c.text_score), max(c.similarity), min(c.similarity),
           count(c.similarity), count(*) - count(c.similarity)
    into chunk_ids, text_scores, text_ranks, similarities, near_ranks, best_text, worst_text, best_similarity,
         worst_similarity, similarity_count, missing_count
    from (
      select coalesce(f.chunk_id, s.chunk_id) as chunk_id, coalesce(f.score, t.score, 0) as text_score,
             f.rank as text_rank, s.rank as near_rank,
             case when s.chunk_id is not null then s.score
                  when complete_candidates.distance = 'cosine' then 1 - n.distance
                  when complete_candidates.distance = 'inner_product' then -n.distance
                  else 1 / (1 + n.distance) end as similarity
      from unnest(v_full_text) f
      full join unnest(v_near.chunk_ids, v_near.distances) n (chunk_id, distance) on n.chunk_id = f.chunk_id
      full join (
        unnest(v_semantic) s
        full join unnest(v_without_text, v_scores) t (chunk_id, score) on t.chunk_id = s.chunk_id
      ) on s.chunk_id = f.chunk_id
    ) c;
  end if;
end
$$;

comment on function braid_store.complete_candidates(braid_store.search_request, braid_store.found_candidates, text) is
  'Return the candidates of all legs as parallel arrays in no order, each with its exact score in every leg. '
  'text_scores: BM25 scores, 0 if the query does not match. similarities: null if the chunk has no embedding. '
  'sparse_scores: 0 if chunk and query share no term. A rank is null if its leg did not find the chunk. best_ and '
  'worst_ have the highest and lowest score of each leg. similarity_count and missing_count: how many candidates '
  'have an embedding, and how many have none. Everything about sparse scores is null without a sparse leg. All '
  'arrays are null without candidates.';
