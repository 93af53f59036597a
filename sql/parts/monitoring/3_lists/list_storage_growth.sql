-- role: service, monitor
-- tenants: all
create or replace function braid_store.list_storage_growth()
returns table (
  day date,
  table_name text,
  row_bytes bigint,
  index_bytes bigint,
  byte_count bigint,
  growth bigint
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
  select d.day, d.table_name, d.row_bytes, d.index_bytes, d.row_bytes + d.index_bytes,
         d.row_bytes + d.index_bytes - lag(d.row_bytes + d.index_bytes) over (partition by d.table_name order by d.day)
  from braid_store.daily_table_sizes d;
end
$$;

comment on function braid_store.list_storage_growth() is
  'Do the work of the view braid.storage_growth.';
