create or replace function braid_store.filtered_among(chunk_ids bigint[], tenant_id int, filter braid_store.filter)
returns bigint[]
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
  'Return those of the given chunks that pass a filter, in the order given. Deleted chunks are left out.';
