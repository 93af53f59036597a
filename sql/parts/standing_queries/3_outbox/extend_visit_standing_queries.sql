create or replace function braid_store.extend_visit_standing_queries(tenant_id int, collection braid_store.collections)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
-- Make the planner read the primary key in its order, and stop at the first younger match.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
#variable_conflict use_column
declare
  c_kept constant interval := '30 days';
  c_batch constant int := 100000;
begin
  delete from braid_store.standing_query_matches m
  where m.tenant_id + 0 = extend_visit_standing_queries.tenant_id and m.ctid = any (array(
    select o.ctid
    from (
      select m.ctid, m.matched_at from braid_store.standing_query_matches m
      where m.tenant_id = extend_visit_standing_queries.tenant_id and m.collection_id = collection.id
      order by m.id
      limit c_batch
      for update skip locked
    ) o
    where o.matched_at < now() - c_kept));
end
$$;

comment on function braid_store.extend_visit_standing_queries(int, braid_store.collections) is
  'Delete matches that nobody has acknowledged in 30 days.';
