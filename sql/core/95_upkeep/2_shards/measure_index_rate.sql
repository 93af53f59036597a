create or replace function braid_store.measure_index_rate(shard braid_store.vector_shards)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set enable_seqscan = on
as $$
declare
  c_count constant int := 2000;
  -- A graph of many vectors does not fit into the processor's caches. By this unit of work, 2,000 vectors were indexed
  -- 1.7 to 2.3 times as fast as 30,000.
  c_slower constant float8 := 0.6;
  v_small braid_store.vector_shards := shard;
  v_space braid_store.vector_spaces;
  v_order record;
  v_begun timestamptz;
begin
  select s.* into strict v_space from braid_store.vector_spaces s where s.id = shard.vector_space_id;
  v_order := braid_store.shard_order(shard.storage, shard.index_type, v_space.dimensions, v_space.distance);
  execute format('create unlogged table braid_store.vectors_%1$s_measured with (parallel_workers = %2$s) as select '
                 'v.embedding from braid_store.vectors_%1$s v where v.tenant_id = $1 and not v.is_duplicate limit %3$s',
                 shard.id, current_setting('max_parallel_maintenance_workers'), c_count)
  using shard.tenant_id;
  v_begun := clock_timestamp();
  execute format('create index on braid_store.vectors_%s_measured using hnsw (%s %s) with (m = %s, ef_construction = '
                 '%s)',
                 shard.id, v_order.indexed, v_order.operator_class, shard.hnsw_m, shard.hnsw_ef_construction);
  v_small.vector_count := c_count;
  v_small.duplicate_count := 0;
  perform braid_store.note_rate(
    index_work_per_second => c_slower * (braid_store.index_work(v_small) - 8000)
                             / extract(epoch from clock_timestamp() - v_begun)::float8);
  execute format('drop table braid_store.vectors_%s_measured', shard.id);
end
$$;

comment on function braid_store.measure_index_rate(braid_store.vector_shards) is
  'Measure how fast this server makes vector indexes, before it has made one, with the first 2000 vectors of a '
  'shard. The measurement takes about a second.';
