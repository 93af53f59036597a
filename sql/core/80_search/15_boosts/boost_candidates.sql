create or replace function braid_store.boost_candidates(
  tenant_id int,
  candidates braid_store.fused_candidate[],
  boosts braid_store.boost[]
)
returns braid_store.fused_candidate[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
-- Without sorting, the planner must use the primary key for the ordered look-ups below. On a small table, other indexes
-- that begin with the tenant seem as cheap, but each look-up would read all of the tenant's rows.
set enable_sort = off
set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  v_sql record := braid_store.boost_expressions(boosts);
  v_scores float8[];
begin
  execute format($query$
    select array(
      select case when f.score < 1e-150 then 0 else f.score end%s
      from unnest($2) with ordinality f,
           lateral (
             select %s from braid_store.chunks c
             where c.tenant_id = $1 and c.id between f.chunk_id and f.chunk_id
             order by c.id
             offset 0
           ) v,
           lateral (select %s offset 0) p
      order by f.ordinality)
    $query$, v_sql.sum, v_sql.sources, v_sql.parts)
  into v_scores
  using boost_candidates.tenant_id, boost_candidates.candidates;
  return braid_store.rescore_candidates(tenant_id, candidates, v_scores);
end
$$;

comment on function braid_store.boost_candidates(int, braid_store.fused_candidate[], braid_store.boost[]) is
  'Apply boosts to the scores of fused candidates, and sort them, best first. boosts comes from compile_boosts. '
  'report_boosts tells what each boost did, for the few candidates that are shown.';
