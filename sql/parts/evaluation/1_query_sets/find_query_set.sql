create or replace function braid_store.find_query_set(tenant_id int, query_set text)
returns braid_store.query_sets
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_query_set braid_store.query_sets;
begin
  select s.* into v_query_set
  from braid_store.query_sets s
  where s.tenant_id = find_query_set.tenant_id and s.name = find_query_set.query_set;
  if not found then
    raise exception 'query set "%" does not exist', left(find_query_set.query_set, 255)
      using errcode = '42704',
        hint = 'Create it with braid.create_query_set, or see the names with braid.list_query_sets.';
  end if;
  return v_query_set;
end
$$;

comment on function braid_store.find_query_set(int, text) is
  'Return the tenant''s query set of this name. Raise 42704 if there is none.';
