create or replace function braid_store.extend_written_chunks_standing_queries(
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
  perform braid_store.match_chunks(tenant_id, collection, chunk_ids, 'written');
end
$$;

comment on function braid_store.extend_written_chunks_standing_queries(
  int, braid_store.collections, braid_store.document_input[], braid_store.document_change[], bigint[], bigint[]) is
  'Match the chunks of new and replaced documents with standing queries, also by the vectors that they have already.';
