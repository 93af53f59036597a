create or replace function braid.set_access(
  claim_path text[] default null,
  tenant_header text default null,
  trusted_claim_roles text[] default null,
  public_tenant text default null,
  create_tenants boolean default null
)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.update_access_settings(set_access.claim_path, set_access.tenant_header,
                                            set_access.trusted_claim_roles, set_access.public_tenant,
                                            set_access.create_tenants);
$$;

comment on function braid.set_access(text[], text, text[], text, boolean) is
  'How requests through a gateway name their tenant: the path of the verified claim (default '
  '{app_metadata,tenant_id}), the header that trusted claim roles may use instead (default x-braid-tenant for '
  '{service_role}), the tenant of requests without a token ('''' for none), and whether the first write of a '
  'request creates the tenant that its claim names (default false; for claims such as sub). Null leaves a setting as it '
  'is. For administrators.';
