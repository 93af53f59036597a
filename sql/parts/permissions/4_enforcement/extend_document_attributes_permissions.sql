create or replace function braid_store.extend_document_attributes_permissions()
returns jsonb
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return '{"access": ["array", "null"]}'::jsonb;
end
$$;

comment on function braid_store.extend_document_attributes_permissions() is
  'Let documents have access: the principals that may read them.';
