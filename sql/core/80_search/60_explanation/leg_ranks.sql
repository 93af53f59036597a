create or replace function braid_store.leg_ranks(
  request braid_store.search_request,
  chunk braid_store.examined_chunk,
  out full_text_rank int,
  out semantic_rank int,
  out sparse_rank int
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  c_max_rank constant int := 10000;
  v_filter braid_store.filter := request.filter;
begin
  if chunk.full_text_score > 0 then
    select c.rank into full_text_rank
    from braid_store.full_text_candidates(request.tenant_id, request.collection, request.query, v_filter,
                                          chunk.full_text_score, c_max_rank) t,
         unnest(t.candidates) c
    where c.chunk_id = chunk.chunk_id;
  end if;
  if chunk.semantic_score is not null then
    if (request.query).conditions <> '{}' then
      v_filter := braid_store.narrow_filter(v_filter, braid_store.demand_condition(request.tenant_id, request.query));
    end if;
    -- The minimum score is slightly below the chunk's score, because this search may compute the same similarity with
    -- other last bits.
    select c.rank into semantic_rank
    from braid_store.semantic_candidates(request.tenant_id, request.collection, request.query_embedding, v_filter,
                                         chunk.semantic_score - 1e-9, c_max_rank, c_max_rank, false, true, null) n,
         unnest(n.candidates) c
    where c.chunk_id = chunk.chunk_id;
  end if;
  if chunk.sparse_score > 0 then
    select c.rank into sparse_rank
    from unnest(braid_store.sparse_candidates(request.tenant_id, request.collection, request.sparse, request.query,
                                              request.filter, chunk.sparse_score, c_max_rank)) c
    where c.chunk_id = chunk.chunk_id;
  end if;
end
$$;

comment on function braid_store.leg_ranks(braid_store.search_request, braid_store.examined_chunk) is
  'Return the rank that a chunk would have in each leg if the number of candidates had no limit. A rank is null '
  'beyond 10000, and if the leg does not find the chunk.';
