-- role: definer
-- tenants: all
-- Policies hide the chunks that it samples.
create or replace function braid_store.readable_share(collection_id int, bounds bigint[])
returns float8
language plpgsql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
set jit = off
set enable_sort = off
set enable_bitmapscan = off
as $$
declare
  c_sample constant int := 64;
  v_tenant_id int := braid_calls.session_tenant_id();
  v_share float8;
begin
  select sum(a.chunk_count)::float8 / max(a.total_count) into v_share
  from (
         select 0 as first, 1 as next
         union all
         select readable_share.bounds[n], readable_share.bounds[n + 1]
         from generate_series(1, cardinality(readable_share.bounds), 2) n
       ) r,
       lateral (
         select a.chunk_count, a.total_count from braid_store.access_list_counts a
         where a.tenant_id = v_tenant_id and a.collection_id = readable_share.collection_id
           and a.access_list_id between r.first and r.next - 1
         order by a.access_list_id
         offset 0
       ) a;
  return coalesce(v_share, (
    select coalesce(avg((c.access_list_id is null
                         or width_bucket(c.access_list_id, readable_share.bounds) % 2 = 1)::int), 0)
    from unnest(braid_store.sampled_chunk_ids(v_tenant_id, readable_share.collection_id, c_sample)) u (chunk_id),
         lateral (
           select c.access_list_id from braid_store.chunks c
           where c.tenant_id = v_tenant_id and c.id between u.chunk_id and u.chunk_id
           order by c.id
           offset 0
         ) c));
end
$$;

comment on function braid_store.readable_share(int, bigint[]) is
  'Estimate the share of chunks of a collection that have a list within these bounds or none. Maintenance counts them; '
  'before that, a sample of all chunks tells.';
