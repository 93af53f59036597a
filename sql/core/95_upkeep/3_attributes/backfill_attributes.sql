create or replace function braid_store.backfill_attributes(
  tenant_id int,
  collection_id int,
  inout last_id bigint,
  out chunk_count int
)
returns record
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
-- These settings make the planner scan the primary key's index in the order of ids. Without statistics, it would read
-- and sort all remaining chunks for each batch.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
#variable_conflict use_column
declare
  c_batch_size constant int := 1000;
  v_version int := braid_store.attribute_version(backfill_attributes.collection_id);
  v_chunk_ids bigint[];
begin
  v_chunk_ids := array(
    select c.id
    from (
      select c.id, c.collection_id, c.attribute_version from braid_store.chunks c
      where c.tenant_id = backfill_attributes.tenant_id and c.id > backfill_attributes.last_id
      order by c.id
      offset 0
    ) c
    where c.collection_id = backfill_attributes.collection_id and c.attribute_version < v_version
    limit c_batch_size);
  last_id := v_chunk_ids[cardinality(v_chunk_ids)];
  -- Skip locked chunks instead of waiting, because this transaction keeps its own locks until it ends. A chunk that is
  -- being deleted needs nothing; a chunk that is being changed is left to the next call.
  v_chunk_ids := array(
    select c.id
    from unnest(v_chunk_ids) u (id),
         lateral (
           select c.id, c.attribute_version from braid_store.chunks c
           where c.tenant_id = backfill_attributes.tenant_id and c.id = u.id
           for no key update skip locked
           offset 0
         ) c
    where c.attribute_version < v_version);
  chunk_count := cardinality(v_chunk_ids);
  perform braid_store.write_attributes(backfill_attributes.tenant_id, backfill_attributes.collection_id, v_chunk_ids);
  update braid_store.chunks c
  set attribute_version = v_version
  where c.tenant_id + 0 = backfill_attributes.tenant_id and c.ctid = any (array(
    select c.ctid
    from unnest(v_chunk_ids) u (id),
         lateral (
           select c.ctid from braid_store.chunks c where c.tenant_id = backfill_attributes.tenant_id and c.id = u.id
           offset 0
         ) c));
end
$$;

comment on function braid_store.backfill_attributes(int, int, bigint) is
  'Index the attributes of up to 1000 chunks with ids after last_id that do not have all of them yet, in the order '
  'of ids. last_id: the last id looked at, on return; null after the end.';
