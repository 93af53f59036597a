create or replace function braid_store.order_candidates(tenant_id int, candidates braid_store.fused_candidate[])
returns braid_store.fused_candidate[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
-- Without sorting, the planner must use the primary key for the ordered look-ups below. On a small table, other indexes
-- that begin with the tenant seem as cheap, but each look-up would read all of the tenant's rows.
set enable_sort = off
set enable_bitmapscan = off
as $$
begin
  return array(
    select s.candidate
    from (
      select c as candidate, c.chunk_id, c.score, count(*) over (partition by c.score) > 1 as is_tied
      from unnest(order_candidates.candidates) c
      offset 0
    ) s
    left join lateral (
      select d.external_id, c.chunk_index
      from braid_store.chunks c,
           lateral (
             select d.external_id from braid_store.documents d
             where d.tenant_id = order_candidates.tenant_id and d.id between c.document_id and c.document_id
             order by d.id
             offset 0
           ) d
      where c.tenant_id = order_candidates.tenant_id and c.id between s.chunk_id and s.chunk_id and s.is_tied
      order by c.id
      offset 0
    ) t on true
    order by s.score desc, t.external_id, t.chunk_index);
end
$$;

comment on function braid_store.order_candidates(int, braid_store.fused_candidate[]) is
  'Sort candidates by score, highest first. Sort candidates with equal scores by external_id and chunk_index.';
