create or replace function braid_store.extend_record_problem_permissions(record jsonb)
returns text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return case
    when record ? 'principal_member' and (
           (record -> 'principal_member') - '{principal,member}'::text[] <> '{}'
           or jsonb_typeof(record #> '{principal_member,principal}') is distinct from 'string'
           or jsonb_typeof(record #> '{principal_member,member}') is distinct from 'string')
      then 'does not have all of these keys with texts: principal, member'
    when record #>> '{principal_member,member}' ^@ 'login:'
      then 'puts a login into a group, and logins belong to a server'
  end;
end
$$;

comment on function braid_store.extend_record_problem_permissions(jsonb) is
  'Say what is wrong with the form of an exported membership; return null if nothing is.';
