create or replace function braid_store.rank_found(
  request braid_store.search_request,
  leg_candidates braid_store.found_candidates,
  is_reported boolean
)
returns braid_store.ranked_candidates
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  v_candidates braid_store.ranked_candidates;
  v_ranked_count int;
  v_named record;
  v_lifted_ids bigint[] := '{}';
begin
  v_candidates.has_more := request.candidate_count in (cardinality(leg_candidates.full_text),
    cardinality(leg_candidates.semantic),
                                                      coalesce(cardinality(leg_candidates.sparse), 0));
  if request.named_ids is not null then
    v_named := braid_store.named_chunks(request, leg_candidates);
    leg_candidates.full_text := leg_candidates.full_text || v_named.added;
  end if;
  if request.legs = 'hybrid' then
    if (request.collection).fusion = 'rrf' then
      select f.candidates, f.report, f.unseen into v_candidates.fused, v_candidates.report, v_candidates.unseen
      from braid_store.fuse_ranks(request, leg_candidates) f;
    else
      select f.candidates, f.report, f.unseen into v_candidates.fused, v_candidates.report, v_candidates.unseen
      from braid_store.fuse_scores(request, leg_candidates, is_reported) f;
    end if;
  else
    v_candidates.fused := braid_store.unfused_candidates(request.legs, leg_candidates);
  end if;

  v_candidates.ranked := v_candidates.fused;
  if request.named_ids is not null then
    -- The best chunk of each document is lifted.
    v_lifted_ids := array(
      select distinct on (n.document_id) n.chunk_id
      from unnest(v_candidates.fused) with ordinality f
      join unnest(v_named.chunk_ids, v_named.document_ids) n (chunk_id, document_id) on n.chunk_id = f.chunk_id
      order by n.document_id, f.ordinality);
  end if;
  -- Without fusion, the leg has already applied min_score.
  if request.legs = 'hybrid' and request.min_score is not null then
    v_candidates.ranked := array(
      select f from unnest(v_candidates.fused) f
      where f.score >= request.min_score or f.chunk_id = any (v_lifted_ids));
  end if;
  if (request.collection).neighbour_weight > 0 or (request.collection).document_weight > 0
     or (request.options).smoothing > 0 then
    select s.spread, s.report into v_candidates.ranked, v_candidates.spread
    from braid_store.spread_candidates(request, v_candidates.ranked, leg_candidates.shard,
                                       is_reported and (request.options).explain, null) s;
  end if;
  if num_nonnulls(request.parts, (request.options).rank_by) > 0 then
    if request.parts is not null then
      v_candidates.ranked := braid_store.extend_ranking(v_candidates.ranked, request);
    end if;
    if (request.options).rank_by is not null then
      v_candidates.ranked := braid_store.rank_by_signals(request.tenant_id, v_candidates.ranked,
        (request.options).rank_by);
    end if;
  end if;
  if cardinality(request.boosts) > 0 then
    v_candidates.ranked := braid_store.boost_candidates(request.tenant_id, v_candidates.ranked, request.boosts);
  end if;
  if cardinality(v_lifted_ids) > 0 then
    v_candidates.ranked := braid_store.lift_named(request, v_candidates.ranked, v_lifted_ids);
  end if;
  v_candidates.has_more := v_candidates.has_more and coalesce(v_candidates.unseen >= request.min_score, true);
  if (request.options).min_relevance is not null and request.query_embedding is not null then
    v_ranked_count := cardinality(v_candidates.ranked);
    v_candidates.ranked := braid_store.relevant_candidates(request, v_candidates.ranked);
    -- Further candidates of the legs are hardly more relevant. Only candidates that reach min_score show that; if there
    -- are none, later ones may be more relevant.
    v_candidates.has_more := v_candidates.has_more and cardinality(v_candidates.ranked) = v_ranked_count;
  end if;
  return v_candidates;
end
$$;

comment on function braid_store.rank_found(braid_store.search_request, braid_store.found_candidates, boolean) is
  'Make one list, best first, of what the legs found. Fuse it, leave out scores below min_score, share scores among '
  'neighbours, rank by parts and by signals, apply boosts, lift what the query names, and leave out candidates below '
  'min_relevance. '
  'is_reported: whether report tells how the candidates were fused, in the detail that the option explain asks for.';
