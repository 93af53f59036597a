create or replace function braid_store.tenants_with_rows(
  collection_id int,
  behind_tenant_id int,
  out tenant_ids int[],
  out last_tenant_id int
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
begin
  select array_agg(t.id order by t.id) filter (where t.has_rows), max(t.id)
  into tenant_ids, last_tenant_id
  from (
    select t.id,
           exists (select from braid_store.documents d
                   where d.tenant_id = t.id and d.collection_id = tenants_with_rows.collection_id offset 0)
           or exists (select from braid_store.segments s
                      where s.tenant_id = t.id and s.collection_id = tenants_with_rows.collection_id offset 0)
           or exists (select from braid_store.vector_shards s
                      where s.tenant_id = t.id and s.collection_id = tenants_with_rows.collection_id offset 0)
           or exists (select from braid_store.centroids c
                      where c.tenant_id = t.id and c.collection_id = tenants_with_rows.collection_id offset 0)
           or exists (select from braid_store.query_embeddings q
                      where q.tenant_id = t.id and q.collection_id = tenants_with_rows.collection_id offset 0)
           -- Of a part whose documents were deleted, the noted sizes are all that is left.
           or exists (select from braid_store.daily_part_sizes z
                      where z.tenant_id = t.id and z.collection_id = tenants_with_rows.collection_id offset 0) as has_rows
    from (select t.id from braid_store.tenants t where t.id > tenants_with_rows.behind_tenant_id order by t.id limit 1000) t
  ) t;
  tenant_ids := coalesce(tenant_ids, '{}');
end
$$;

comment on function braid_store.tenants_with_rows(int, int) is
  'Looks at the next 1000 tenants by id, after behind_tenant_id. tenant_ids: those that have anything in the '
  'collection. last_tenant_id: the last one looked at; null if none was left.';
