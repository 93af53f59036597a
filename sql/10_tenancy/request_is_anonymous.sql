create or replace function braid_store.request_is_anonymous()
returns boolean
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  -- Without a token PostgREST still publishes the role that it assumes.
  select braid_store.request_claims() - 'role' = '{}'::jsonb;
$$;

comment on function braid_store.request_is_anonymous() is
  'Whether the request carries no token at all, so that the public tenant, if one is set, applies.';
