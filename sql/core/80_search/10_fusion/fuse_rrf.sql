create or replace function braid_store.fuse_rrf(
  full_text braid_store.candidate[],
  semantic braid_store.candidate[],
  sparse braid_store.candidate[],
  full_text_weight float8,
  semantic_weight float8,
  sparse_weight float8,
  rrf_k float8
)
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
  -- Reciprocal rank fusion (Cormack, Clarke & Büttcher 2009) with ranks from 1: a leg adds weight / (k + rank).
  return array(
    select row(coalesce(f.chunk_id, s.chunk_id, p.chunk_id), t.score,
               f.score, 1 / (fuse_rrf.rrf_k + f.rank), f.rank, s.score, 1 / (fuse_rrf.rrf_k + s.rank), s.rank, t.score,
               null, null, p.score, 1 / (fuse_rrf.rrf_k + p.rank), p.rank)::braid_store.fused_candidate
    from unnest(fuse_rrf.full_text) f
    full join unnest(fuse_rrf.semantic) s on s.chunk_id = f.chunk_id
    full join unnest(fuse_rrf.sparse) p on p.chunk_id = coalesce(f.chunk_id, s.chunk_id),
         lateral (
           select coalesce(fuse_rrf.full_text_weight / (fuse_rrf.rrf_k + f.rank), 0)
                  + coalesce(fuse_rrf.semantic_weight / (fuse_rrf.rrf_k + s.rank), 0)
                  + coalesce(fuse_rrf.sparse_weight / (fuse_rrf.rrf_k + p.rank), 0) as score
           offset 0
         ) t);
end
$$;

comment on function braid_store.fuse_rrf(braid_store.candidate[], braid_store.candidate[], braid_store.candidate[],
                                         float8, float8, float8, float8) is
  'Fuse the candidates of all legs by reciprocal rank fusion: a chunk gets weight / (rrf_k + rank) from each leg '
  'that found it.';
