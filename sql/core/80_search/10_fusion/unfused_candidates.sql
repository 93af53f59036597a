create or replace function braid_store.unfused_candidates(legs text, leg_candidates braid_store.found_candidates)
returns braid_store.fused_candidate[]
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
begin
  case unfused_candidates.legs
    when 'prefilter' then
      return array(
        select row(s.chunk_id, s.score, f.score, f.score, f.rank, s.score, s.score, s.rank, s.score, null, null, null,
          null, null)
                 ::braid_store.fused_candidate
        from unnest(leg_candidates.semantic) s
        join unnest(leg_candidates.full_text) f on f.chunk_id = s.chunk_id
        order by s.rank);
    when 'full_text' then
      return array(
        select row(c.chunk_id, c.score, c.score, c.score, c.rank, null, null, null, c.score, null, null, null, null,
          null)
                 ::braid_store.fused_candidate
        from unnest(leg_candidates.full_text) c);
    when 'semantic' then
      return array(
        select row(c.chunk_id, c.score, null, null, null, c.score, c.score, c.rank, c.score, null, null, null, null,
          null)
                 ::braid_store.fused_candidate
        from unnest(leg_candidates.semantic) c);
    when 'sparse' then
      return array(
        select row(c.chunk_id, c.score, null, null, null, null, null, null, c.score, null, null, c.score, c.score,
          c.rank)
                 ::braid_store.fused_candidate
        from unnest(leg_candidates.sparse) c);
  end case;
end
$$;

comment on function braid_store.unfused_candidates(text, braid_store.found_candidates) is
  'Make one list of candidates for searches that fuse nothing. It has the candidates of a single leg with their own '
  'scores, or the chunks that full text found, in the order of semantic search (prefilter). legs has the same values '
  'as in a search_request.';
