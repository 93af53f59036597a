-- role: writer
create or replace function braid_calls.remove_matches(match_ids bigint[], collection text)
returns int
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
  c_max_matches constant int := 10000;
  v_tenant_id int := braid_store.tenant_id_for_writing();
  v_collection_id int := (braid_store.find_collection(remove_matches.collection)).id;
  v_count int;
begin
  if remove_matches.match_ids is null then
    raise exception 'match_ids is null'
      using errcode = '22023', hint = 'Give the match_id of each match that you have dealt with.';
  elsif cardinality(remove_matches.match_ids) > c_max_matches then
    raise exception 'match_ids has % elements, more than %', cardinality(remove_matches.match_ids), c_max_matches
      using errcode = '54000', hint = 'Acknowledge matches in batches, as claim_matches returned them.';
  end if;
  delete from braid_store.standing_query_matches m
  where m.tenant_id + 0 = v_tenant_id and m.ctid = any (array(
    select m.ctid
    -- The order makes two calls with common matches wait for each other and never deadlock.
    from unnest(braid_store.visible_matches(v_tenant_id, v_collection_id, array(
           select distinct u.id from unnest(remove_matches.match_ids) u (id) order by 1))) u (id),
         lateral (
           select m.ctid from braid_store.standing_query_matches m
           where m.tenant_id = v_tenant_id and m.collection_id = v_collection_id
             and m.id between u.id and u.id
           order by m.id
           for update
           offset 0
         ) m));
  get diagnostics v_count = row_count;
  return v_count;
end
$$;

comment on function braid_calls.remove_matches(bigint[], text) is 'Do the work of braid.acknowledge_matches.';
