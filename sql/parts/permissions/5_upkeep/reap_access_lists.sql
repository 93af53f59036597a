create or replace function braid_store.reap_access_lists()
returns boolean
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  c_most constant int := 1000;
  v_tenant_ids int[];
  v_list_ids bigint[];
begin
  select array_agg(l.tenant_id), array_agg(l.id) into v_tenant_ids, v_list_ids
  from (
    select l.tenant_id, l.id from braid_store.access_lists l
    where not exists (select from braid_store.documents d
                      where d.tenant_id = l.tenant_id and d.access_list_id = l.id)
    limit c_most
    for update skip locked
  ) l;
  -- A new statement sees the documents of writers that have just given up a list.
  with deleted as (
    delete from braid_store.access_lists l
    using unnest(v_tenant_ids, v_list_ids) u (tenant_id, id)
    where l.tenant_id = u.tenant_id and l.id = u.id
      and not exists (select from braid_store.documents d
                      where d.tenant_id = u.tenant_id and d.access_list_id = u.id)
    returning l.tenant_id, l.id, l.principals
  )
  delete from braid_store.access_list_principals p
  using deleted d, unnest(d.principals) u (principal)
  where p.tenant_id = d.tenant_id and p.principal = u.principal and p.access_list_id = d.id;
  return coalesce(cardinality(v_list_ids), 0) < c_most;
end
$$;

comment on function braid_store.reap_access_lists() is
  'Delete access lists that no document has; return whether none is left. Lists that a writer has just found stay.';
