create or replace function braid_store.extend_filter_permissions(
  inout filter braid_store.filter,
  tenant_id int,
  collection_id int
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  v_bounds bigint[];
  v_is_alone boolean := filter.is_empty;
begin
  if not exists (select from braid_store.access_lists l where l.tenant_id = extend_filter_permissions.tenant_id) then
    return;
  end if;
  v_bounds := braid_store.carry_readable_lists();
  if v_bounds = '{0}' then
    return;
  end if;
  filter := braid_store.narrow_filter(
    filter, format('c.access_list_id is null or width_bucket(c.access_list_id, %L::bigint[]) %% 2 = 1', v_bounds));
  if v_is_alone then
    -- A search would take its sample from readable chunks, and find that all of them pass.
    filter.share := braid_store.readable_share(collection_id, v_bounds);
    -- The order and the range leave the planner one index: see condition_source.
    filter.source := format(
      'select s.id from (select b.bounds[n] as first, b.bounds[n + 1] as next '
      'from (select %1$L::bigint[] as bounds) b, generate_series(1, cardinality(b.bounds), 2) n) r, '
      'lateral (select c.id from braid_store.chunks c where c.tenant_id = %2$s and c.collection_id = %3$s '
      'and c.access_list_id between r.first and r.next - 1 order by c.access_list_id offset 0) s '
      'union all select s.id from (select c.id from braid_store.chunks c where c.tenant_id = %2$s '
      'and c.collection_id = %3$s and c.access_list_id is null order by c.access_list_id offset 0) s',
      v_bounds, tenant_id, collection_id);
  end if;
end
$$;

comment on function braid_store.extend_filter_permissions(braid_store.filter, int, int) is
  'Let only chunks pass that the session may read. A session that reads all, and a tenant without access lists, keep '
  'the filter.';
