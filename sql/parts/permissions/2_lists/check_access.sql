create or replace function braid_store.check_access(access jsonb, name text)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_max_principals constant int := 1000;
  v_wrong jsonb;
begin
  if jsonb_array_length(check_access.access) > c_max_principals then
    raise exception '% has % principals; the most allowed is %', check_access.name,
                    jsonb_array_length(check_access.access), c_max_principals
      using errcode = '54000', hint = 'Give the document to a group, and put the users into the group.';
  end if;
  select a.value into v_wrong
  from jsonb_array_elements(check_access.access) a
  where jsonb_typeof(a.value) <> 'string' or octet_length(a.value #>> '{}') not between 1 and 255
        or a.value #>> '{}' = '*'
  limit 1;
  if found then
    raise exception '% has the element %', check_access.name, left(v_wrong::text, 100)
      using errcode = '22023',
            hint = 'Give users and groups as texts of 1 to 255 bytes, such as "user:ana" or "group:sales". Leave '
                   'access out, or give null, for everyone in the tenant.';
  end if;
end
$$;

comment on function braid_store.check_access(jsonb, text) is
  'Raise 22023 or 54000 if an array cannot be the access of a document. name: what messages call it.';
