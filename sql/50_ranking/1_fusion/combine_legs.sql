create or replace function braid_store.combine_legs(
  tenant_id int,
  collection braid_store.collections,
  query braid_store.text_query,
  query_embedding @vector@.vector,
  legs text,
  full_text braid_store.candidate[],
  semantic braid_store.candidate[],
  candidate_count int,
  options jsonb,
  out fused braid_store.fused_candidate[],
  out report jsonb,
  out unseen float8
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_variable
begin
  if legs = 'hybrid' then
    select f.candidates, f.report, f.unseen into fused, report, unseen
    from braid_store.fuse_candidates(
           tenant_id, collection, query, query_embedding, full_text, semantic, collection.fusion,
           collection.full_text_weight, collection.semantic_weight, collection.rrf_k, options, candidate_count) f;
  elsif legs = 'prefilter' then
    fused := array(
      select row(s.chunk_id, s.score, f.score, f.score, f.rank, s.score, s.score, s.rank, s.score, null, null)
               ::braid_store.fused_candidate
      from unnest(semantic) s
      join unnest(full_text) f on f.chunk_id = s.chunk_id
      order by s.rank);
  else
    -- One leg alone keeps its own score.
    fused := array(
      select row(c.chunk_id, c.score, c.score, c.score, c.rank, null, null, null, c.score, null, null)
               ::braid_store.fused_candidate
      from unnest(full_text) c
      union all
      select row(c.chunk_id, c.score, null, null, null, c.score, c.score, c.rank, c.score, null, null)
               ::braid_store.fused_candidate
      from unnest(semantic) c);
  end if;
end
$$;

comment on function braid_store.combine_legs(int, braid_store.collections, braid_store.text_query, @vector@.vector, text,
                                             braid_store.candidate[], braid_store.candidate[], int, jsonb) is
  'The candidates of a search''s legs as one list, best first; how they were fused, and what a chunk that no leg proposed '
  'would get at most, both null where nothing was fused.';
