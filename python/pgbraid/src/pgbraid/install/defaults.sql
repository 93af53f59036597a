-- The last step of an installation creates a tenant, makes the login its member, and creates a collection.
begin
  if not exists (select from braid_store.tenants where key = 'default') then
    perform braid.create_tenant('default');
  elsif not exists (select from braid_store.tenants t join braid_store.tenant_members m on m.tenant_id = t.id
                    where t.key = 'default' and m.member = session_user) then
    perform braid.add_tenant_member('default', session_user::text);
  end if;
  if not exists (select from braid_store.collections where name = 'default') then
    perform braid.create_collection('default');
  end if;
end
