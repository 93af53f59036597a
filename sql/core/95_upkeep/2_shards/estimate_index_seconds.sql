create or replace function braid_store.estimate_index_seconds(shard braid_store.vector_shards)
returns float8
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  -- The larger sample has this share of the vectors, and at least and at most these numbers. The smaller one is an
  -- eighth of it: with a quarter, an error of 5 % in its seconds would make 23 % of the estimate.
  c_share constant float8 := 1.0 / 16;
  c_least constant int := 4000;
  c_most constant int := 16000;
  v_count float8 := shard.vector_count - shard.duplicate_count;
  v_wanted float8 := least(v_count / 2, greatest(c_least, least(c_share * v_count, c_most)));
  v_sample braid_store.vector_shards := shard;
  v_base float8;
  v_in_memory float8;
  v_table text := format('vectors_%s_measured', shard.id);
  v_counts float8[];
  v_seconds float8[];
  v_growth float8;
begin
  -- Take pages from everywhere, because neighbours in a table may be of one document. Every eighth row is in the
  -- smaller sample, which so comes from everywhere, too.
  execute format(
    'create unlogged table braid_store.%I with (toast_tuple_target = 8160) as '
    'select s.embedding, (row_number() over ()) %% 8 = 0 as is_in_smaller '
    'from (select v.embedding from braid_store.vectors_%s v tablesample system (%s) repeatable (0) '
    'where v.tenant_id = $1 and not v.is_duplicate limit %s) s',
    v_table, shard.id, least(100, 130 * v_wanted / v_count), ceil(v_wanted))
  using shard.tenant_id;
  execute format('select array[count(*) filter (where m.is_in_smaller), count(*)] from braid_store.%I m', v_table)
  into v_counts;
  -- The same share of the sample's graph as of the shard's fits into memory.
  v_sample.duplicate_count := 0;
  v_sample.vector_count := 0;
  v_base := braid_store.graph_bytes(v_sample);
  v_in_memory := greatest(0, least(1.1, (pg_size_bytes(current_setting('maintenance_work_mem')) - v_base)
                                        / (braid_store.graph_bytes(shard) - v_base)));
  for v_place in 1..2 loop
    v_sample.vector_count := v_counts[v_place];
    v_seconds[v_place] := greatest(1e-6, braid_store.build_hnsw(
      v_sample, v_table, case v_place when 1 then 'is_in_smaller' else 'true' end,
      v_base + v_in_memory * (braid_store.graph_bytes(v_sample) - v_base)));
    execute format('drop index braid_store.%I', v_table || '_hnsw');
  end loop;
  execute format('drop table braid_store.%I', v_table);
  if v_counts[1] < 2 then
    return braid_store.slow_index_seconds(shard);
  end if;
  -- More vectors take longer each: the graph is deeper, and leaves the processor's caches. Between 1,000 and 200,000
  -- vectors this growth is about the same, by the logarithm.
  v_growth := ln(v_seconds[2] / v_counts[2] * v_counts[1] / v_seconds[1]) / ln(v_counts[2] / v_counts[1]);
  return v_seconds[2] * (v_count / v_counts[2]) ^ (1 + greatest(0, least(0.4, v_growth)))
         * 1.1
         -- The index is measured after it is built, mostly by exact searches.
         + 1.5 + 0.0000002 * shard.vector_count
                 * (select s.dimensions from braid_store.vector_spaces s where s.id = shard.vector_space_id);
end
$$;

comment on function braid_store.estimate_index_seconds(braid_store.vector_shards) is
  'Estimate how many seconds building and measuring a shard''s index takes. Build indexes of two samples of its '
  'vectors, and continue the growth from the smaller to the larger. It takes a second or two, and up to ten for '
  'millions of vectors.';
