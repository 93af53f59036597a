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
set enable_seqscan = off
as $$
begin
  execute format(
    $query$
      select array_agg(t.id order by t.id) filter (where t.has_rows), max(t.id)
      from (
        select t.id, %s as has_rows
        from (select t.id from braid_store.tenants t where t.id > $1 order by t.id limit 1000) t
      ) t
    $query$,
    (select string_agg(format('exists (select from braid_store.%I r where r.tenant_id = t.id and r.collection_id = $2 '
                              'offset 0)',
                              u.name), ' or ' order by u.place)
     from unnest('{documents,segments,vector_shards,centroids}'::text[]
                 -- Rows of parts may be all that is left.
                 || array(select t.key from braid_store.parts p, jsonb_each(p.manifest -> 'tables') t
                          where t.value ? 'emptied' order by p.place, t.key)) with ordinality u (name, place)))
  into tenant_ids, last_tenant_id
  using behind_tenant_id, collection_id;
  tenant_ids := coalesce(tenant_ids, '{}');
end
$$;

comment on function braid_store.tenants_with_rows(int, int) is
  'Look at the next 1000 tenants by id, after behind_tenant_id. tenant_ids: the tenants that have rows in the '
  'collection. last_tenant_id: the last tenant looked at; null if no tenant was left.';
