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
  if cardinality(request.boosts) > 0 then
    v_candidates.ranked := braid_store.boost_candidates(request.tenant_id, v_candidates.ranked, request.boosts);
  end if;
  v_candidates.has_more := request.candidate_count in (cardinality(v_full_text), cardinality(v_semantic))
                           and coalesce(v_candidates.unseen >= request.min_score, true);
  return v_candidates;
end
$$;

comment on function braid_store.rank_found(braid_store.search_request, braid_store.found_candidates, boolean) is
  'Makes one list, best first, of what the legs found: fuses it, leaves out scores below min_score and applies '
  'boosts. is_reported: its report tells how it was fused.';
