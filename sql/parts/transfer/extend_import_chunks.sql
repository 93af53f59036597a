create or replace function braid_store.extend_import_chunks(
  tenant_id int,
  collection braid_store.collections,
  chunk_ids bigint[],
  chunks jsonb[]
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

comment on function braid_store.extend_import_chunks(int, braid_store.collections, bigint[], jsonb[]) is
  'Extension point: store the data of parts that came with exported chunks. chunks: the chunks as exported, parallel '
  'to chunk_ids.';
