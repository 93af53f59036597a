create or replace function braid_store.extend_removed_chunks(tenant_id int, collection_id int, chunk_ids bigint[])
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  null;
end
$$;

comment on function braid_store.extend_removed_chunks(int, int, bigint[]) is
  'Extension point: let parts delete their data of chunks that are being deleted and are locked.';
