-- role: administrator
-- tenants: all
-- Collections are defined for all tenants.
create or replace function braid_store.update_permissions(collection text, has_permissions boolean)
returns void
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_collection braid_store.collections := braid_store.find_collection(update_permissions.collection);
begin
  if update_permissions.has_permissions is null then
    raise exception 'has_permissions is null' using errcode = '22023', hint = 'Give true or false.';
  end if;
  v_collection := braid_store.lock_definition(v_collection);
  if not update_permissions.has_permissions then
    -- A writer may be giving access, to a document that has no chunks yet.
    perform braid_store.lock_collection(v_collection, 'exclusive');
  end if;
  if not update_permissions.has_permissions and exists (
       select from braid_store.documents d
       where d.collection_id = v_collection.id and d.access_list_id is not null) then
    raise exception 'collection "%" has documents with access', v_collection.name
      using errcode = '22023',
            hint = 'Delete them, or write them with "access": null, which lets everyone in their tenant read them.';
  end if;
  if not update_permissions.has_permissions then
    delete from braid_store.access_list_counts a where a.collection_id = v_collection.id;
  end if;
  update braid_store.collections c
  set parts = braid_store.parts_with(
        c.parts, jsonb_build_object('permissions', case when update_permissions.has_permissions then true end))
  where c.id = v_collection.id;
end
$$;

comment on function braid_store.update_permissions(text, boolean) is 'Do the work of braid.set_permissions.';
