create or replace function braid_store.request_is_anonymous()
returns boolean
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  -- Without a token PostgREST still publishes the role that it assumes, and an API key such as Supabase's anon key is a
  -- token that names a role but nobody. Claims that are no JSON are no anonymous request.
  return (
    select pg_input_is_valid(coalesce(nullif(current_setting('request.jwt.claims', true), ''), '{}'), 'jsonb')
           and not braid_store.request_claims() ? 'sub'
           and coalesce(braid_store.request_claims() ->> 'role', '') <> all (s.trusted_claim_roles)
    from braid_store.access_settings s
  );
end
$$;

comment on function braid_store.request_is_anonymous() is
  'Whether the request''s claims name no user and no trusted role, so that the public tenant, if one is set, applies.';
