create or replace function braid_store.extend_installation()
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  null;
end
$$;

comment on function braid_store.extend_installation() is
  'Extension point: let parts finish their installation. It runs after all functions have got their owners.';
