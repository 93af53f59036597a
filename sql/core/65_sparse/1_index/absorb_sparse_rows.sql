create or replace function braid_store.absorb_sparse_rows(
  tenant_id int,
  collection_id int,
  most int,
  least_count int default 1
)
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
  v_places tid[];
  v_chunk_ids bigint[];
  v_count int;
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    return 0;
  end if;
  if absorb_sparse_rows.least_count > 1 and absorb_sparse_rows.least_count > (
       select count(*)
       from (
         select from braid_store.unindexed_sparse_rows n
         where n.tenant_id = absorb_sparse_rows.tenant_id and n.collection_id = absorb_sparse_rows.collection_id
         limit absorb_sparse_rows.least_count
       ) n) then
    return 0;
  end if;
  v_places := array(
    select n.ctid from braid_store.unindexed_sparse_rows n
    where n.tenant_id = absorb_sparse_rows.tenant_id and n.collection_id = absorb_sparse_rows.collection_id
    order by n.id
    limit absorb_sparse_rows.most
    for update skip locked);
  if cardinality(v_places) < absorb_sparse_rows.least_count then
    return 0; -- another session is absorbing the other rows
  end if;
  -- The next statement sees at least the terms that these writes stored. A session that replaces terms meanwhile adds a
  -- row that stays here.
  with absorbed as (
    delete from braid_store.unindexed_sparse_rows n
    where n.tenant_id + 0 = absorb_sparse_rows.tenant_id and n.ctid = any (v_places)
    returning n.chunk_id
  )
  select array_agg(distinct a.chunk_id order by a.chunk_id), count(*) into v_chunk_ids, v_count from absorbed a;
  if v_chunk_ids is not null then
    perform braid_store.write_sparse_segments(absorb_sparse_rows.tenant_id, absorb_sparse_rows.collection_id,
      v_chunk_ids);
  end if;
  return v_count;
end
$$;

comment on function braid_store.absorb_sparse_rows(int, int, int, int) is
  'Move recently written sparse rows into a segment: the oldest writes that wait in unindexed_sparse_rows, at most '
  '"most" of them. Return the number of writes moved. It is 0 if fewer than least_count wait that no other session '
  'has locked, or outside READ COMMITTED.';
