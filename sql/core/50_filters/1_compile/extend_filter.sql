create or replace function braid_store.extend_filter(
  inout filter braid_store.filter,
  tenant_id int,
  collection_id int
)
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

comment on function braid_store.extend_filter(braid_store.filter, int, int) is
  'Extension point: let parts narrow a compiled filter by conditions that hold for the session, whatever it asks for.';
