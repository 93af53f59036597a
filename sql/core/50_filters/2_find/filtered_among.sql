create or replace function braid_store.filtered_among(chunk_ids bigint[], tenant_id int, filter braid_store.filter)
returns bigint[]
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
  v_chunk_ids bigint[];
begin
  execute format($query$
    select array(
      select c.id
      from unnest($2) u (chunk_id),
      lateral (
        select c.id from braid_store.chunks c
        where c.tenant_id = $1 and c.id between u.chunk_id and u.chunk_id and (%s)
        order by c.id
        offset 0
      ) c)
    $query$, filter.predicate)
  into v_chunk_ids
  using tenant_id, chunk_ids;
  return v_chunk_ids;
end
$$;

comment on function braid_store.filtered_among(bigint[], int, braid_store.filter) is
  'Return the given chunks that pass a filter, in the given order. Deleted chunks are left out.';
