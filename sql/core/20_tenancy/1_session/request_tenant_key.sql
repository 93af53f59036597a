-- tenants: all
create or replace function braid_store.request_tenant_key()
returns text
language plpgsql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_claims jsonb;
begin
  -- This shortcut matters: for a superuser every policy calls this function, and most sessions of superusers are not
  -- requests.
  if coalesce(current_setting('request.jwt.claims', true), '') = '' then
    return null;
  end if;
  v_claims := braid_store.request_claims();
  return (
    select coalesce(
      case
        when v_claims ->> 'role' = any (s.trusted_claim_roles)
        then nullif(headers.value ->> lower(s.tenant_header collate "C"), '')
      end,
      nullif(v_claims #>> s.claim_path, ''))
    from braid_store.access_settings s,
         lateral (
           select case when pg_input_is_valid(h.value, 'jsonb') then h.value::jsonb end as value
           from (select coalesce(nullif(current_setting('request.headers', true), ''), '{}') as value) h
         ) headers
  );
end
$$;

comment on function braid_store.request_tenant_key() is
  'Return the tenant key that an HTTP request names: the key in the header if the request''s role claim is trusted, '
  'else the claim at claim_path. Return null if it names none. Believe it only in a gateway''s session: only a '
  'gateway verifies tokens, and anybody can set these settings.';
