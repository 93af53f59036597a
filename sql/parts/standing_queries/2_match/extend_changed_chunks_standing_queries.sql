create or replace function braid_store.extend_changed_chunks_standing_queries(
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
  perform braid_store.match_chunks(tenant_id, collection, chunk_ids, change);
end
$$;

comment on function braid_store.extend_changed_chunks_standing_queries(int, braid_store.collections, bigint[],
                                                                       text) is
  'Match chunks that got vectors or other metadata with standing queries.';
