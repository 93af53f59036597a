-- role: writer
create or replace function braid_calls.extend_import_collection_permissions(collection text, definition jsonb)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  if definition ->> 'permissions' = 'true' then
    perform braid.set_permissions(extend_import_collection_permissions.collection, true);
  end if;
end
$$;

comment on function braid_calls.extend_import_collection_permissions(text, jsonb) is
  'Let the documents of a new collection have access.';
