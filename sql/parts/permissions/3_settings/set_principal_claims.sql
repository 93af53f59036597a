-- role: administrator
-- example: braid.set_principal_claims(claims => '{"sub": "user:", "app_metadata.groups": "group:"}')
-- page: guide/permissions.md
create or replace function braid.set_principal_claims(claims jsonb)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.update_principal_claims(set_principal_claims.claims);
$$;

comment on function braid.set_principal_claims(jsonb) is
  E'Set which claims of a verified token name the principals of a request through a gateway.\n'
  'claims: an object of at most 50 claims, each with the prefix of its principals (initially {"sub": "user:"}). A '
  'point leads into an object: {"app_metadata.groups": "group:"}. No prefix may begin another. A claim may be a text, '
  'a number, or an array of them. Only administrators may call it.';
