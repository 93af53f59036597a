create or replace function braid_store.units_before_page(
  tenant_id int,
  chunk_ids bigint[],
  scores float8[],
  cursor text
)
returns int
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
-- Without sorting, the planner must use the primary key for the ordered look-ups below. On a small table, other indexes
-- that begin with the tenant seem as cheap, but each look-up would read all of the tenant's rows.
set enable_sort = off
set enable_bitmapscan = off
as $$
declare
  v_last record;
begin
  if units_before_page.cursor = '' then
    return 0;
  end if;
  v_last := braid_store.read_cursor(units_before_page.cursor);
  -- The last row of the previous page may have moved because of inserts, so its place in the present list counts. If it
  -- is gone, its score and its place among equal scores tell where it would be.
  return coalesce(
    array_position(units_before_page.chunk_ids, v_last.chunk_id),
    (select count(*)
     from unnest(units_before_page.chunk_ids, units_before_page.scores) u (chunk_id, score)
     left join lateral (
       select (d.external_id, c.chunk_index) <= (v_last.external_id collate "C", v_last.chunk_index) as is_before
       from braid_store.chunks c,
            lateral (
              select d.external_id from braid_store.documents d
              where d.tenant_id = units_before_page.tenant_id and d.id between c.document_id and c.document_id
              order by d.id
              offset 0
            ) d
       where c.tenant_id = units_before_page.tenant_id and c.id between u.chunk_id and u.chunk_id
         and u.score = v_last.score
       order by c.id
       offset 0
     ) t on true
     where u.score > v_last.score or t.is_before));
end
$$;

comment on function braid_store.units_before_page(int, bigint[], float8[], text) is
  'Return how many of the rows or groups were on the pages before a cursor. chunk_ids and scores give the best chunk '
  'and the score of each row or group, in their order.';
