create or replace function braid_store.drop_query_embeddings(tenant_id int, collection_id int, kept_count int)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
-- Make the planner read the index on used_at, whose order avoids a sort.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
declare
  v_places tid[];
begin
  v_places := array(
    select q.ctid
    from braid_store.query_embeddings q
    where q.tenant_id = drop_query_embeddings.tenant_id and q.collection_id = drop_query_embeddings.collection_id
    order by q.used_at desc
    offset drop_query_embeddings.kept_count);
  if v_places <> '{}' then
    -- Skip rows that another session is deleting or using.
    delete from braid_store.query_embeddings q
    where q.tenant_id + 0 = drop_query_embeddings.tenant_id and q.ctid = any (array(
      select l.ctid from braid_store.query_embeddings l
      where l.tenant_id + 0 = drop_query_embeddings.tenant_id and l.ctid = any (v_places)
      for update skip locked));
  end if;
end
$$;

comment on function braid_store.drop_query_embeddings(int, int, int) is
  'Delete stored query vectors of a tenant''s part of a collection, least recently used first, until kept_count are '
  'left.';
