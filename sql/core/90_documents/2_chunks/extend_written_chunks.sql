create or replace function braid_store.extend_written_chunks(
  tenant_id int,
  collection braid_store.collections,
  inputs braid_store.document_input[],
  changes braid_store.document_change[],
  chunk_ids bigint[],
  previous_ids bigint[]
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

comment on function braid_store.extend_written_chunks(int, braid_store.collections, braid_store.document_input[],
                                                      braid_store.document_change[], bigint[], bigint[]) is
  'Extension point: store what parts keep for the chunks of new and replaced documents. previous_ids has, for each '
  'of chunk_ids, the previous chunk with the same text, or null; it is null if there are none.';
