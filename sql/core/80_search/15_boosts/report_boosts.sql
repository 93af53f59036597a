create or replace function braid_store.report_boosts(
  tenant_id int,
  candidates braid_store.fused_candidate[],
  boosted braid_store.fused_candidate[],
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
declare
  v_sql record := braid_store.boost_expressions(boosts);
  v_reports jsonb[];
begin
  execute format($query$
    select array(
      select jsonb_build_array(%s)
      from unnest($3) with ordinality u,
           lateral (
             select %s from braid_store.chunks c
             where c.tenant_id = $1 and c.id between u.chunk_id and u.chunk_id
             order by c.id
             offset 0
           ) v,
           lateral (select %s offset 0) p
      order by u.ordinality)
    $query$, v_sql.reports, v_sql.sources, v_sql.parts)
  into v_reports
  using report_boosts.tenant_id, boosted, candidates;
  for v_place in 1..cardinality(candidates) loop
    -- Names are lifted after all boosts.
    candidates[v_place].boosts :=
      coalesce(jsonb_path_query_array(candidates[v_place].boosts, '$[*] ? (@.signal != "exact_name")'), '[]')
      || v_reports[v_place]
      || coalesce(jsonb_path_query_array(candidates[v_place].boosts, '$[*] ? (@.signal == "exact_name")'), '[]');
  end loop;
  return candidates;
end
$$;

comment on function braid_store.report_boosts(int, braid_store.fused_candidate[], braid_store.fused_candidate[],
                                              braid_store.boost[]) is
  'Add to the attribute boosts of each candidate the value of each boost, and its factor or addend. The order stays '
  'the same. boosted: all candidates that boost_candidates had, as the value of a boost may depend on them.';
