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
  -- docs/architecture/decisions.md says what this keeps.
  c_relevant constant float8 := 0.25;
  v_full_text braid_store.candidate[] := leg_candidates.full_text;
  v_semantic braid_store.candidate[] := leg_candidates.semantic;
  v_candidates braid_store.ranked_candidates;
begin
  if request.legs = 'hybrid' then
    select f.candidates, f.report, f.unseen into v_candidates.fused, v_candidates.report, v_candidates.unseen
    from braid_store.fuse_candidates(request, leg_candidates, is_reported) f;
  elsif request.legs = 'prefilter' then
    v_candidates.fused := array(
      select row(s.chunk_id, s.score, f.score, f.score, f.rank, s.score, s.score, s.rank, s.score, null, null)
               ::braid_store.fused_candidate
      from unnest(v_semantic) s
      join unnest(v_full_text) f on f.chunk_id = s.chunk_id
      order by s.rank);
  elsif request.legs = 'full_text' then
    -- One leg alone keeps its own score.
    v_candidates.fused := array(
      select row(c.chunk_id, c.score, c.score, c.score, c.rank, null, null, null, c.score, null, null)
               ::braid_store.fused_candidate
      from unnest(v_full_text) c);
  else
    v_candidates.fused := array(
      select row(c.chunk_id, c.score, null, null, null, c.score, c.score, c.rank, c.score, null, null)
               ::braid_store.fused_candidate
      from unnest(v_semantic) c);
  end if;

  v_candidates.ranked := v_candidates.fused;
  -- Without fusion, the leg has applied min_score already.
  if request.legs = 'hybrid' and request.min_score is not null then
    v_candidates.ranked := array(select f from unnest(v_candidates.fused) f where f.score >= request.min_score);
  end if;
  if (request.options).neighbour_weight > 0 or (request.options).smoothing > 0 then
    select s.spread, s.report into v_candidates.ranked, v_candidates.spread
    from braid_store.spread_candidates(request, v_candidates.ranked, is_reported) s;
  end if;
  if (request.options).rank_by is not null then
    v_candidates.ranked := braid_store.rank_by_signals(request.tenant_id, v_candidates.ranked, (request.options).rank_by);
  end if;
  if cardinality(request.boosts) > 0 then
    v_candidates.ranked := braid_store.boost_candidates(request.tenant_id, v_candidates.ranked, request.boosts);
  end if;
  v_candidates.has_more := request.candidate_count in (cardinality(v_full_text), cardinality(v_semantic))
                           and coalesce(v_candidates.unseen >= request.min_score, true);
  if (request.options).min_relevance is not null and request.legs <> 'full_text' then
    select coalesce(array_agg(c.candidate order by c.place) filter (where c.is_relevant), '{}'),
           -- What the legs propose later is hardly more relevant than what they have proposed.
           v_candidates.has_more and coalesce(bool_and(c.is_relevant), true)
    into v_candidates.ranked, v_candidates.has_more
    from (
      select u.candidate, u.place, u.relevance >= coalesce(nullif((request.options).min_relevance, 'auto')::float8, c_relevant) as is_relevant
      from (
        select row(r.chunk_id, r.score, r.full_text_score, r.full_text_normalised_score, r.full_text_rank, r.semantic_score,
                   r.semantic_normalised_score, r.semantic_rank, r.fused_score, r.boosts, r.group_score)
                 ::braid_store.fused_candidate as candidate, r.relevance, r.place
        from rows from (unnest(v_candidates.ranked), unnest(braid_store.relevance(request, v_candidates.ranked)))
               with ordinality r (chunk_id, score, full_text_score, full_text_normalised_score, full_text_rank, semantic_score,
                                  semantic_normalised_score, semantic_rank, fused_score, boosts, group_score, relevance, place)
      ) u
    ) c;
  end if;
  return v_candidates;
end
$$;

comment on function braid_store.rank_found(braid_store.search_request, braid_store.found_candidates, boolean) is
  'Makes one list, best first, of what the legs found: fuses it, leaves out scores below min_score, shares scores among '
  'neighbours, ranks by other signals, applies boosts and leaves out what is below min_relevance. is_reported: its report '
  'tells how it was fused.';
