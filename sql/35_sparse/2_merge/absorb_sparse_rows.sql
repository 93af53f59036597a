create or replace function braid_store.absorb_sparse_rows(tenant_id int, collection_id int)
returns int
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
#variable_conflict use_column
declare
  c_most constant int := 4096;
  v_chunk_ids bigint[];
  v_count int;
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    return 0;
  end if;
  -- The next statement sees at least the terms that these writes stored. Whoever replaces them meanwhile adds a row that
  -- stays here.
  with absorbed as (
    delete from braid_store.unindexed_sparse_rows n
    where n.ctid = any (array(
      select n.ctid from braid_store.unindexed_sparse_rows n
      where n.tenant_id = absorb_sparse_rows.tenant_id and n.collection_id = absorb_sparse_rows.collection_id
      order by n.id
      limit c_most
      for update skip locked))
    returning n.chunk_id
  )
  select array_agg(distinct a.chunk_id order by a.chunk_id), count(*) into v_chunk_ids, v_count from absorbed a;
  v_chunk_ids := array(
    select u.chunk_id
    from unnest(v_chunk_ids) u (chunk_id),
         lateral (
           select from braid_store.sparse_rows r
           where r.tenant_id = absorb_sparse_rows.tenant_id and r.collection_id = absorb_sparse_rows.collection_id
             and r.chunk_id = u.chunk_id
           offset 0
         ) r
    order by u.chunk_id);
  if v_chunk_ids <> '{}' then
    perform braid_store.write_sparse_segment(absorb_sparse_rows.tenant_id, absorb_sparse_rows.collection_id, v_chunk_ids);
  end if;
  return v_count;
end
$$;

comment on function braid_store.absorb_sparse_rows(int, int) is
  'Puts sparse rows that were written lately, at most 4096, into a segment. Returns how many writes that were: 0 if none '
  'wait, or outside READ COMMITTED.';
