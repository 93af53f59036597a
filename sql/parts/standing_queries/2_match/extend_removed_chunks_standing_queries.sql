create or replace function braid_store.extend_removed_chunks_standing_queries(
  tenant_id int,
  collection_id int,
  chunk_ids bigint[]
)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set jit = off
as $$
#variable_conflict use_column
begin
  -- A match that another session is claiming stays; without its chunk nobody gets it, and maintain() deletes it.
  delete from braid_store.standing_query_matches m
  where m.tenant_id + 0 = extend_removed_chunks_standing_queries.tenant_id and m.ctid = any (array(
    select m.ctid
    from unnest(extend_removed_chunks_standing_queries.chunk_ids) u (chunk_id),
         lateral (
           select m.ctid from braid_store.standing_query_matches m
           where m.tenant_id = extend_removed_chunks_standing_queries.tenant_id
             and m.chunk_id between u.chunk_id and u.chunk_id
           order by m.chunk_id
           for update skip locked
           offset 0
         ) m));
end
$$;

comment on function braid_store.extend_removed_chunks_standing_queries(int, int, bigint[]) is
  'Delete the matches of chunks that are being deleted, so that nobody claims a version that is gone.';
