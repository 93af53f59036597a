-- role: service, monitor
-- tenants: all
create or replace function braid_store.list_storage()
returns table (
  table_name text,
  part text,
  tenant text,
  collection text,
  byte_count bigint,
  row_estimate bigint
)
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query
  select s.name, p.part, t.key, n.name, p.byte_count,
         case when p.row_estimate >= 0 then p.row_estimate::bigint end
  from (
    -- Reading the size of a table that is being dropped would wait for the drop, so leave these tables out first.
    select s.oid, s.name
    from braid_store.stored_tables() s
    where not exists (
      select from pg_locks l
      where l.relation = s.oid and l.locktype = 'relation' and l.mode = 'AccessExclusiveLock' and l.granted
        and l.database = (select d.oid from pg_database d where d.datname = current_database())
        and l.pid is distinct from pg_backend_pid())
    offset 0
  ) s
  join pg_class c on c.oid = s.oid
  left join braid_store.vector_shards v on s.name = 'vectors_' || v.id
  left join braid_store.tenants t on t.id = v.tenant_id
  left join braid_store.collections n on n.id = v.collection_id
  cross join lateral (
    select 'rows', pg_table_size(c.oid) - coalesce(pg_total_relation_size(nullif(c.reltoastrelid, 0)), 0), c.reltuples
    union all
    select 'toast', pg_total_relation_size(c.reltoastrelid), null
    where c.reltoastrelid <> 0
    union all
    select i.relname::text, pg_table_size(i.oid), i.reltuples
    from pg_index x
    join pg_class i on i.oid = x.indexrelid
    where x.indrelid = c.oid
  ) p (part, byte_count, row_estimate)
  -- The size is null if the table was dropped meanwhile.
  where p.byte_count is not null;
end
$$;

comment on function braid_store.list_storage() is
  'Do the work of the view braid.storage.';
