-- role: administrator
-- example: braid.set_access()
-- page: guide/tenants.md#which-login-is-which-tenant
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
  E'Set how requests through a gateway, such as PostgREST, name their tenant.\n'
  'A null argument, the default, leaves its setting as it is. claim_path: where the verified token has the tenant''s '
  'key (initially {app_metadata,tenant_id}). trusted_claim_roles: requests whose token has one of these roles may '
  'name the tenant in a header instead (initially {service_role}). tenant_header: the name of that header (initially '
  'x-braid-tenant). public_tenant: the tenant that requests without a user read; '''' for none, as initially. '
  'create_tenants: true lets the first write of a request create the tenant that its claim names, which suits claims '
  'such as sub. It also lets a row of a synced table create the tenant that its tenant_column names (initially '
  'false). Only administrators may call it.';
