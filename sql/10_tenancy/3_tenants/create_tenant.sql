create or replace function braid.create_tenant(tenant text)
returns int
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.insert_tenant(create_tenant.tenant);
$$;

comment on function braid.create_tenant(text) is
  'Creates a tenant under your own key for it (organisation id, slug, uuid) and makes the calling login a member. '
  'Returns its id; a tenant that exists is returned as it is. For administrators.';
