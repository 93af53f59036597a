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
  c_most_claims constant int := 50;
  v_wrong record;
begin
  if jsonb_typeof(update_principal_claims.claims) is distinct from 'object' then
    raise exception 'claims is %', coalesce('a JSON ' || jsonb_typeof(update_principal_claims.claims), 'null')
      using errcode = '22023', hint = 'Give an object: {"sub": "user:", "app_metadata.groups": "group:"}.';
  elsif (select count(*) from jsonb_object_keys(update_principal_claims.claims)) > c_most_claims then
    raise exception 'claims has more than % claims', c_most_claims
      using errcode = '54000', hint = 'Give the claims whose values name users and groups.';
  end if;
  select c.key, c.value into v_wrong
  from jsonb_each(update_principal_claims.claims) c
  where string_to_array(c.key, '.') && '{user_metadata,raw_user_meta_data}'
     or octet_length(c.key) not between 1 and 255
     or jsonb_typeof(c.value) <> 'string' or octet_length(c.value #>> '{}') not between 1 and 64
     -- The value of the claim could end a shorter prefix.
     or c.value #>> '{}' ^@ 'login:' or 'login:' ^@ (c.value #>> '{}') or c.value #>> '{}' ^@ '*'
  limit 1;
  if found and string_to_array(v_wrong.key, '.') && '{user_metadata,raw_user_meta_data}' then
    raise exception 'claim % leads through metadata that users edit themselves', to_json(left(v_wrong.key, 100))
      using errcode = '22023', hint = 'Keep groups in app_metadata, or use a claim such as sub.';
  elsif found then
    raise exception 'claim % has the prefix %', to_json(left(v_wrong.key, 100)), left(v_wrong.value::text, 100)
      using errcode = '22023',
            hint = 'Give each claim, of 1 to 255 bytes, a prefix of 1 to 64 bytes: {"sub": "user:"}. It may neither '
                   'begin with * or login: nor be a beginning of login:.';
  end if;
  -- One claim's value could end the prefix and begin the value of another claim.
  select c.key, c.value as prefix, o.value as longer into v_wrong
  from jsonb_each_text(update_principal_claims.claims) c
  join jsonb_each_text(update_principal_claims.claims) o on o.value ^@ c.value and o.value <> c.value
  limit 1;
  if found then
    raise exception 'claim % has the prefix %, which begins the prefix %', to_json(left(v_wrong.key, 100)),
                    to_json(v_wrong.prefix), to_json(v_wrong.longer)
      using errcode = '22023',
            hint = 'Give prefixes that are equal or differ, such as user: and group:. A value of this claim could '
                   'otherwise name a principal of the other claim.';
  end if;
  insert into braid_store.permission_settings (claims) values (update_principal_claims.claims)
  on conflict (only_row) do update set claims = excluded.claims;
end
$$;

comment on function braid_store.update_principal_claims(jsonb) is 'Do the work of braid.set_principal_claims.';
