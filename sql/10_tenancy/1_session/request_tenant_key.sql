create or replace function braid_store.request_tenant_key()
returns text
language plpgsql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select coalesce(
      case
        when claims.value ->> 'role' = any (s.trusted_claim_roles)
        then nullif(headers.value ->> lower(s.tenant_header), '')
      end,
      nullif(claims.value #>> s.claim_path, ''))
    from braid_store.access_settings s,
         lateral (select braid_store.request_claims() as value) claims,
         lateral (
           select case when pg_input_is_valid(h.value, 'jsonb') then h.value::jsonb end as value
           from (select coalesce(nullif(current_setting('request.headers', true), ''), '{}') as value) h
         ) headers
  );
end
$$;

comment on function braid_store.request_tenant_key() is
  'The tenant key that an HTTP request names: by the header if its role claim is trusted, else by the claim at '
  'claim_path. Meaningful only for sessions of a gateway, which alone verifies tokens.';
