create or replace function braid_store.extend_version(inout document jsonb, tenant_id int, former_id bigint)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  null;
end
$$;

comment on function braid_store.extend_version(jsonb, int, bigint) is
  'Extension point: let a new version of a document keep what parts store with the former one, if the new version does '
  'not say.';
