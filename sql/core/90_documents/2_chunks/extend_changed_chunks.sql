create or replace function braid_store.extend_changed_chunks(
  tenant_id int,
  collection braid_store.collections,
  chunk_ids bigint[],
  change text
)
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

comment on function braid_store.extend_changed_chunks(int, braid_store.collections, bigint[], text) is
  'Extension point: let parts react to changes of stored chunks. change: vectors if a client stored their vectors, '
  'with the collection in the vectors'' space; metadata if only attributes of their documents changed. Chunks that no '
  'longer exist may be among chunk_ids.';
