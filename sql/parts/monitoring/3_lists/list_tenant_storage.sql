-- role: service, monitor
-- tenants: all
create or replace function braid_store.list_tenant_storage()
returns table (
  tenant text,
  collection text,
  chunk_count bigint,
  token_count bigint,
  indexed_vector_count bigint,
  vector_index_byte_count bigint,
  byte_count bigint
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
  select t.key, c.name, p.chunk_count, p.token_count, p.vector_count, p.index_byte_count, p.byte_count
  from braid_store.part_sizes() p
  join braid_store.tenants t on t.id = p.tenant_id
  join braid_store.collections c on c.id = p.collection_id;
end
$$;

comment on function braid_store.list_tenant_storage() is
  'Do the work of the view braid.tenant_storage.';
