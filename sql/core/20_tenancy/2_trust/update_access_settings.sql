-- role: administrator
-- tenants: all
create or replace function braid_store.update_access_settings(
  claim_path text[],
  tenant_header text,
  trusted_claim_roles text[],
  public_tenant text,
  create_tenants boolean
)
returns void
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '3s'
as $$
declare
  v_public_tenant_id int;
begin
  if update_access_settings.claim_path && '{user_metadata,raw_user_meta_data}' then
    raise exception 'claim_path % leads through metadata that users edit themselves', update_access_settings.claim_path
      using errcode = '22023', hint = 'Keep the tenant in app_metadata, or use a claim such as sub.';
  elsif update_access_settings.claim_path = '{}' then
    raise exception 'claim_path is empty'
      using errcode = '22023', hint = 'Give the path of the claim, for example ''{app_metadata,tenant_id}''.';
  end if;

  if update_access_settings.public_tenant <> '' then
    select t.id into v_public_tenant_id from braid_store.tenants t where t.key = update_access_settings.public_tenant;
    if not found then
      raise exception 'public_tenant "%" does not exist', update_access_settings.public_tenant
        using errcode = '42704', hint = 'Create it with braid.create_tenant.';
    end if;
  end if;

  update braid_store.access_settings s
  set claim_path = coalesce(update_access_settings.claim_path, s.claim_path),
      tenant_header = coalesce(update_access_settings.tenant_header, s.tenant_header),
      trusted_claim_roles = coalesce(update_access_settings.trusted_claim_roles, s.trusted_claim_roles),
      public_tenant_id = case when update_access_settings.public_tenant is null then s.public_tenant_id
                              else v_public_tenant_id end,
      create_tenants = coalesce(update_access_settings.create_tenants, s.create_tenants)
  where s.only_row;
exception when lock_not_available then
  perform braid_store.raise_locked(
    'the access settings', braid_store.lock_holders('{braid_store.access_settings}',
      '{RowShareLock,RowExclusiveLock}'));
end
$$;

comment on function braid_store.update_access_settings(text[], text, text[], text, boolean) is
  'Do the work of braid.set_access.';
