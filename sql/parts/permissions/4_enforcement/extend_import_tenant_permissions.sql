-- role: writer
create or replace function braid_calls.extend_import_tenant_permissions(records jsonb)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_members jsonb := (
    select jsonb_agg(r.value -> 'principal_member' order by r.ordinality)
    from jsonb_array_elements(extend_import_tenant_permissions.records) with ordinality r
    where r.value ? 'principal_member');
  v_missing jsonb := braid_calls.missing_member(v_members);
begin
  if v_missing is null then
    return;
  elsif not has_function_privilege((select p.oid from pg_proc p where p.pronamespace = 'braid'::regnamespace
                                                                and p.proname = 'add_principal_member'), 'EXECUTE') then
    raise exception 'principal "%" is not in "%"', left(v_missing ->> 'member', 255),
                    left(v_missing ->> 'principal', 255)
      using errcode = '42501',
            hint = 'Have an administrator import, or leave out the records of group members (principal_member).';
  end if;
  perform braid.add_principal_member(braid_calls.session_tenant_key(), m.value ->> 'principal', m.value ->> 'member')
  from jsonb_array_elements(v_members) m;
end
$$;

comment on function braid_calls.extend_import_tenant_permissions(jsonb) is
  'Put users and groups into groups as exported, with the caller''s rights.';
