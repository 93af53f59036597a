create or replace function braid_store.filter_share(chunk_ids bigint[], tenant_id int, filter braid_store.filter)
returns float8
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
-- Only the key gives the order by which rows are looked up below. Other indexes that begin with the tenant seem as good
-- while the table is small, and all of the tenant's rows would be read for each.
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
  'Return what share of the given chunks passes a filter, from 0 to 1. Deleted chunks do not count.';
