create or replace function braid_store.extend_visit(tenant_id int, collection braid_store.collections)
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

comment on function braid_store.extend_visit(int, braid_store.collections) is
  'Extension point: do what parts need when maintenance visits a tenant''s part of a collection.';
