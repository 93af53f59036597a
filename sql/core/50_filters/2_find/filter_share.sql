create or replace function braid_store.filter_share(chunk_ids bigint[], tenant_id int, filter braid_store.filter)
returns float8
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
  v_share float8;
begin
  execute format($query$
    select coalesce(avg(c.passes), 0)
    from unnest($2) u (chunk_id),
         lateral (
           select ((%s) is true)::int as passes from braid_store.chunks c
           where c.tenant_id = $1 and c.id between u.chunk_id and u.chunk_id
           order by c.id
           offset 0
         ) c
    $query$, filter.predicate)
  into v_share
  using tenant_id, chunk_ids;
  return v_share;
end
$$;

comment on function braid_store.filter_share(bigint[], int, braid_store.filter) is
  'Return the share of the given chunks that pass a filter, from 0 to 1. Deleted chunks do not count.';
