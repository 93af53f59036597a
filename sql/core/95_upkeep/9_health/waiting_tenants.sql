create or replace function braid_store.waiting_tenants(tenant_count int)
returns table (tenant_id int, is_beyond boolean)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
-- These settings make the planner find each next tenant by the primary key.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
#variable_conflict use_column
begin
  return query
  with recursive outbox (id, place) as (
    (select j.tenant_id, 1 from braid_store.embedding_jobs j order by j.tenant_id limit 1)
    union all
    select (select j.tenant_id from braid_store.embedding_jobs j where j.tenant_id > w.id order by j.tenant_id limit 1),
           w.place + 1
    from outbox w
    where w.id is not null and w.place <= waiting_tenants.tenant_count
  ), scanned (id, place) as (
    (select v.tenant_id, 1 from braid_store.chunk_vectors v order by v.tenant_id limit 1)
    union all
    select (select v.tenant_id from braid_store.chunk_vectors v where v.tenant_id > w.id order by v.tenant_id limit 1),
           w.place + 1
    from scanned w
    where w.id is not null and w.place <= waiting_tenants.tenant_count
  )
  select f.id, min(f.place) > waiting_tenants.tenant_count
  from (select braid_store.tenant_id_by_trust() as id, 0 as place
        union all select w.* from outbox w
        union all select w.* from scanned w) f
  where f.id is not null
  group by f.id;
end
$$;

comment on function braid_store.waiting_tenants(int) is
  'Return the session''s tenant, the first tenant_count tenants with chunks that wait for their embedding, and the '
  'first tenant_count tenants with scanned vectors. is_beyond: whether the tenant is one too many, and only tells '
  'that there are more.';
