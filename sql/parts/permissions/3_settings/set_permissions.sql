-- role: administrator
-- example: braid.set_permissions(collection => 'small', has_permissions => true)
-- page: guide/permissions.md
create or replace function braid.set_permissions(collection text, has_permissions boolean)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.update_permissions(set_permissions.collection, set_permissions.has_permissions);
$$;

comment on function braid.set_permissions(text, boolean) is
  E'Set whether documents of a collection may have access, the users and groups that may read them.\n'
  'has_permissions: false, the default of a new collection, refuses documents with access. Only an empty collection '
  'of all tenants, or one without such documents, can be set back to false. Only administrators may call it.';
