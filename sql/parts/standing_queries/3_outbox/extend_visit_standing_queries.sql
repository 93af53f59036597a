create or replace function braid_store.extend_visit_standing_queries(tenant_id int, collection braid_store.collections)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
-- Make the planner read the primary key in its order. Only matches that are old are locked.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
#variable_conflict use_column
declare
  c_kept constant interval := '30 days';
  c_batch constant int := 10000;
begin
  delete from braid_store.standing_query_matches m
  where m.tenant_id + 0 = extend_visit_standing_queries.tenant_id and m.ctid = any (array(
    select k.ctid
    from (
           select m.id, m.matched_at from braid_store.standing_query_matches m
           where m.tenant_id = extend_visit_standing_queries.tenant_id and m.collection_id = collection.id
           order by m.id
           limit c_batch
         ) o,
         lateral (
           select m.ctid from braid_store.standing_query_matches m
           where m.tenant_id = extend_visit_standing_queries.tenant_id and m.collection_id = collection.id
             and m.id between o.id and o.id
           order by m.id
           offset 0
           for update skip locked
         ) k
    where o.matched_at < now() - c_kept));
end
$$;

comment on function braid_store.extend_visit_standing_queries(int, braid_store.collections) is
  'Delete matches that nobody has acknowledged in 30 days.';
