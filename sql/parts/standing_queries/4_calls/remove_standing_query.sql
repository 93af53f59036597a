-- role: writer, definer
create or replace function braid_calls.remove_standing_query(name text, collection text)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set jit = off
as $$
#variable_conflict use_column
declare
  v_tenant_id int := braid_store.tenant_id_for_writing();
  v_collection_id int := (braid_store.find_collection(remove_standing_query.collection)).id;
  v_query_id bigint;
begin
  delete from braid_store.standing_queries q
  where q.tenant_id = v_tenant_id and q.collection_id = v_collection_id and q.name = remove_standing_query.name
  returning q.id into v_query_id;
  if v_query_id is null then
    return false;
  end if;
  delete from braid_store.standing_query_terms k
  where k.tenant_id + 0 = v_tenant_id and k.ctid = any (array(
    select k.ctid from braid_store.standing_query_terms k
    where k.tenant_id = v_tenant_id and k.collection_id = v_collection_id
      and k.query_id between v_query_id and v_query_id
    order by k.query_id));
  delete from braid_store.standing_query_embeddings e
  where e.tenant_id = v_tenant_id and e.collection_id = v_collection_id and e.query_id = v_query_id;
  -- A match that a writer stores at this moment stays without a query: nobody gets it, and maintain() deletes it.
  delete from braid_store.standing_query_matches m
  where m.tenant_id + 0 = v_tenant_id and m.ctid = any (array(
    select m.ctid from braid_store.standing_query_matches m
    where m.tenant_id = v_tenant_id and m.collection_id = v_collection_id and m.query_id = v_query_id
    for update skip locked));
  return true;
end
$$;

comment on function braid_calls.remove_standing_query(text, text) is 'Do the work of braid.drop_standing_query.';
