-- role: service
-- tenants: all
create or replace function braid_store.find_sync(table_name text, relation regclass)
returns braid_store.synced_tables
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_synced braid_store.synced_tables;
begin
  select s.* into v_synced
  from braid_store.synced_tables s,
       lateral (select braid_store.synced_relation(s.id) as relation offset 0) r
  where r.relation = find_sync.relation or r.relation is null and s.table_name = find_sync.table_name
  order by r.relation
  limit 1;
  if not found then
    raise exception 'table % is not synced', coalesce('"' || left(find_sync.table_name, 255) || '"', 'null')
      using errcode = '42704', hint = 'Name the table with its schema; braid.sync_status() lists the names.';
  end if;
  return v_synced;
end
$$;

comment on function braid_store.find_sync(text, regclass) is
  'Return the definition of a synced table. If no definition belongs to relation, take one of the same name whose '
  'table was dropped or is no longer followed. Raise 42704 if there is none.';
