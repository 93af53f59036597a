create or replace function braid_store.request_claims()
returns jsonb
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select case when pg_input_is_valid(claims.value, 'jsonb') and jsonb_typeof(claims.value::jsonb) = 'object'
                then claims.value::jsonb
                else '{}'
           end
    from (select coalesce(nullif(current_setting('request.jwt.claims', true), ''), '{}') as value) claims
  );
end
$$;

comment on function braid_store.request_claims() is
  'Return the verified JWT claims that PostgREST publishes for this request; an empty object if there are none, or '
  'if they are not a JSON object.';
