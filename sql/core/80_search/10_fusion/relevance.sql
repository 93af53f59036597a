create or replace function braid_store.relevance(
  request braid_store.search_request,
  candidates braid_store.fused_candidate[]
)
returns float8[]
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  v_distance text := (select s.distance from braid_store.vector_spaces s
    where s.id = (request.collection).vector_space_id);
  v_mean float8;
  v_nearest float8; -- the similarity of a vector equal to the query vector
  -- True if the collection's mean similarity equals the highest possible one, so that similarities tell nothing.
  v_is_flat boolean;
  v_matched float8[];
begin
  if request.query_embedding is not null then
    v_mean := braid_store.mean_similarity(request.tenant_id, request.collection, v_distance, request.query_embedding);
    v_nearest := 1;
    -- Inner products have no upper bound. The query vector's product with itself is too low if the vectors of texts are
    -- longer.
    if v_distance = 'inner_product' then
      v_nearest := greatest(@vector@.vector_norm(request.query_embedding) ^ 2,
                            (select max(c.semantic_score) from unnest(relevance.candidates) c));
    end if;
    v_is_flat := v_nearest - v_mean <= 1e-6 * greatest(abs(v_nearest), abs(v_mean));
  end if;
  if request.legs <> 'semantic' then
    v_matched := braid_store.word_match(request, candidates);
  end if;
  return array(
    -- Without a query vector, the share of matched words decides.
    select greatest(r.near, case when request.query_embedding is null then r.matched else (coalesce(r.near, 0)
      + r.matched) / 2 end, 0)
    from unnest(relevance.candidates) with ordinality c,
         lateral (
           select case when v_is_flat then case when c.semantic_score >= v_mean - 1e-6 * abs(v_mean) then 1 else 0 end
                       else (c.semantic_score - v_mean) / (v_nearest - v_mean) end as near,
                  v_matched[c.ordinality] as matched
           offset 0
         ) r
    order by c.ordinality);
end
$$;

comment on function braid_store.relevance(braid_store.search_request, braid_store.fused_candidate[]) is
  'Return how relevant each candidate is to the query, on an absolute scale from 0 to 1. The first share tells how '
  'far the candidate''s similarity lies between the collection''s mean and the similarity of a vector equal to the '
  'query vector. The second is the share of the query''s words that the chunk has, weighted by idf. The relevance is '
  'the mean of both shares, or the first share if that is greater.';
