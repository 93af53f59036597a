create or replace function braid_store.document_bests(tenant_id int, chunk_ids bigint[], scores float8[])
returns float8[]
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
    select greatest(
             case when d.document_id is null then d.score else max(d.score) over (partition by d.document_id) end, 0)
    from (
      select u.place, u.score, c.document_id
      from unnest(document_bests.chunk_ids, document_bests.scores) with ordinality u (chunk_id, score, place)
      left join lateral (
        select c.document_id from braid_store.chunks c
        where c.tenant_id = document_bests.tenant_id and c.id between u.chunk_id and u.chunk_id
        order by c.id
        offset 0
      ) c on true
    ) d
    order by d.place);
end
$$;

comment on function braid_store.document_bests(int, bigint[], float8[]) is
  'Return for each chunk the highest score of the given chunks of its document, at least 0.';
