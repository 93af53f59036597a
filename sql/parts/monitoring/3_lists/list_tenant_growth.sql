-- role: service, monitor
-- tenants: all
create or replace function braid_store.list_tenant_growth()
returns table (
  day date,
  tenant text,
  collection text,
  chunk_count bigint,
  token_count bigint,
  byte_count bigint,
  chunk_growth bigint,
  byte_growth bigint
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
  select d.day, t.key, c.name, d.chunk_count, d.token_count, d.byte_count,
         d.chunk_count - lag(d.chunk_count) over w, d.byte_count - lag(d.byte_count) over w
  from braid_store.daily_part_sizes d
  join braid_store.tenants t on t.id = d.tenant_id
  join braid_store.collections c on c.id = d.collection_id
  window w as (partition by d.tenant_id, d.collection_id order by d.day);
end
$$;

comment on function braid_store.list_tenant_growth() is
  'Do the work of the view braid.tenant_growth.';
