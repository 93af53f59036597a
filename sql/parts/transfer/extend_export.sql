create or replace function braid_store.extend_export(tenant_id int, kind text)
returns setof jsonb
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return;
end
$$;

comment on function braid_store.extend_export(int, text) is
  'Extension point: return a tenant''s records of one kind, which a part''s manifest lists. Each is an object with '
  'the kind as its key.';
