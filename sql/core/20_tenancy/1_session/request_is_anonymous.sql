create or replace function braid_store.request_is_anonymous()
returns boolean
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  -- Without a token PostgREST still publishes the role that it assumes. An API key such as Supabase's anon key is a
  -- token that names a role but no user. A request whose claims are no JSON object does not count as anonymous.
  return (
    select case when pg_input_is_valid(c.value, 'jsonb') then jsonb_typeof(c.value::jsonb) = 'object' else false end
           and not braid_store.request_claims() ? 'sub'
           and coalesce(braid_store.request_claims() ->> 'role', '') <> all (s.trusted_claim_roles)
    from braid_store.access_settings s,
         (select coalesce(nullif(current_setting('request.jwt.claims', true), ''), '{}') as value) c
  );
end
$$;

comment on function braid_store.request_is_anonymous() is
  'Tell whether the request''s claims name neither a user nor a trusted role. The public tenant, if one is set, then '
  'answers the request.';
