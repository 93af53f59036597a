-- role: administrator
-- tenants: all
create or replace function braid_store.update_principal_claims(claims jsonb)
returns void
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_wrong record;
begin
  if jsonb_typeof(update_principal_claims.claims) is distinct from 'object' then
    raise exception 'claims is %', coalesce('a JSON ' || jsonb_typeof(update_principal_claims.claims), 'null')
      using errcode = '22023', hint = 'Give an object: {"sub": "user:", "app_metadata.groups": "group:"}.';
  end if;
  select c.key, c.value into v_wrong
  from jsonb_each(update_principal_claims.claims) c
  where string_to_array(c.key, '.') && '{user_metadata,raw_user_meta_data}'
     or c.key = '' or jsonb_typeof(c.value) <> 'string' or octet_length(c.value #>> '{}') not between 1 and 64
     -- The value of the claim could end a shorter prefix.
     or c.value #>> '{}' ^@ 'login:' or 'login:' ^@ (c.value #>> '{}') or c.value #>> '{}' ^@ '*'
  limit 1;
  if found and string_to_array(v_wrong.key, '.') && '{user_metadata,raw_user_meta_data}' then
    raise exception 'claim % leads through metadata that users edit themselves', to_json(left(v_wrong.key, 100))
      using errcode = '22023', hint = 'Keep groups in app_metadata, or use a claim such as sub.';
  elsif found then
    raise exception 'claim % has the prefix %', to_json(left(v_wrong.key, 100)), left(v_wrong.value::text, 100)
      using errcode = '22023',
            hint = 'Give each claim a prefix of 1 to 64 bytes: {"sub": "user:"}. It may neither begin with * or login: '
                   'nor be a beginning of login:.';
  end if;
  insert into braid_store.permission_settings (claims) values (update_principal_claims.claims)
  on conflict (only_row) do update set claims = excluded.claims;
end
$$;

comment on function braid_store.update_principal_claims(jsonb) is 'Do the work of braid.set_principal_claims.';
