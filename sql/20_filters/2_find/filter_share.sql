create or replace function braid_store.filter_share(chunk_ids bigint[], tenant_id int, filter braid_store.filter)
returns float8
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  v_share float8;
begin
  execute format($query$
    select coalesce(avg(c.passes), 0)
    from unnest($2) u (chunk_id),
         lateral (
           select ((%s) is true)::int as passes from braid_store.chunks c
           where c.tenant_id = $1 and c.id = u.chunk_id
           offset 0
         ) c
    $query$, filter.predicate)
  into v_share
  using tenant_id, chunk_ids;
  return v_share;
end
$$;

comment on function braid_store.filter_share(bigint[], int, braid_store.filter) is
  'Returns what share of the given chunks passes a filter, from 0 to 1. Deleted chunks do not count.';
