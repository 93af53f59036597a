-- role: writer
create or replace function braid_calls.measure_indexes(
  collection text,
  query_count int,
  set_ef_search boolean
)
returns jsonb
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  c_least_queries constant int := 10;
  c_most_queries constant int := 1000;
  -- With this number of own queries or more, none are made from stored vectors. Fewer queries do not tell how wide
  -- searches have to be.
  c_enough constant int := 30;
  -- The scan compares this number of vectors in about a minute, with 384 dimensions.
  c_most_compared constant bigint := 100000000;
  v_tenant_id int := braid_store.tenant_id_for_writing();
  v_collection braid_store.collections := braid_store.find_collection(measure_indexes.collection);
  v_part braid_store.collections := v_collection;
  v_shard braid_store.vector_shards;
  v_space braid_store.vector_spaces;
  v_least int := case when measure_indexes.set_ef_search then c_enough else c_least_queries end;
  v_count int;
  v_own record;
  v_queries @vector@.vector[];
  v_sample_count int;
  v_curve braid_store.recall_curve;
  v_chosen record;
  v_is_set boolean;
  v_has_enough boolean;
  v_measurement jsonb;
  v_indexes jsonb := '[]';
begin
  if (measure_indexes.query_count between v_least and c_most_queries) is not true then
    raise exception 'query_count is %', coalesce(measure_indexes.query_count::text, 'null')
      using errcode = '22023',
            hint = format('Use %s to %s%s.', v_least, c_most_queries,
                          case when measure_indexes.set_ef_search then ' with set_ef_search' else '' end);
  elsif measure_indexes.set_ef_search is null then
    raise exception 'set_ef_search is null'
      using errcode = '22023', hint = 'Use true to let searches use the suggested ef_search, or false to measure '
                                      'only.';
  end if;
  for v_shard in
    select s.*
    from braid_store.vector_shards s
    where s.tenant_id = v_tenant_id and s.collection_id = v_collection.id and s.state = 'serving'
    order by s.id
  loop
    select s.* into strict v_space from braid_store.vector_spaces s where s.id = v_shard.vector_space_id;
    v_part.vector_space_id := v_shard.vector_space_id;
    if not (braid_store.serving_shard(v_tenant_id, v_part)).is_indexed then
      v_indexes := v_indexes || jsonb_build_object('shard', v_shard.id, 'embedding_model', v_space.embedding_model,
                                                   'vectors', v_shard.vector_count, 'is_indexed', false);
      continue;
    end if;
    v_count := least(measure_indexes.query_count, greatest(v_least, c_most_compared / greatest(v_shard.vector_count,
      1)));
    v_own := braid_store.own_queries(v_tenant_id, v_collection.id, v_shard.vector_space_id, v_count);
    v_queries := v_own.queries;
    v_sample_count := 0;
    if cardinality(v_queries) < least(c_enough, v_count) then
      v_sample_count := v_count - cardinality(v_queries);
      v_queries := v_queries || braid_store.sample_queries(v_shard, v_space, v_sample_count);
      v_sample_count := cardinality(v_queries) - cardinality(v_own.queries);
    end if;
    v_curve := braid_store.index_recall_curve(
      v_shard, v_space, v_queries,
      array[v_shard.ef_search, v_shard.ef_search_100, coalesce(v_shard.far_ef_search, v_shard.ef_search)],
      cardinality(v_queries));
    continue when v_curve is null; -- No vector is left.
    v_has_enough := v_sample_count = 0 and cardinality(v_queries) >= c_enough;
    v_chosen := braid_store.choose_widths(
      v_shard, v_space, v_curve, case when v_has_enough then 1 else braid_store.sample_margin() end,
      case when v_has_enough then v_queries else '{}' end);
    if measure_indexes.set_ef_search then
      v_shard.ef_search := v_chosen.ef_search;
      v_shard.ef_search_100 := v_chosen.ef_search_100;
      v_shard.ef_search_fused := v_chosen.ef_search_fused;
      v_shard.index_recall := v_chosen.index_recall;
      v_shard.far_distance := v_chosen.far_distance;
      v_shard.far_ef_search := v_chosen.far_ef_search;
    end if;
    v_measurement := braid_store.describe_measurement(
      v_curve, v_shard.ef_search, v_shard.ef_search_100, v_shard.far_distance, v_shard.far_ef_search, v_own.counts,
      v_sample_count);
    -- Another shard may have taken this one's place meanwhile.
    update braid_store.vector_shards s
    set measurement = v_measurement,
        ef_search = case when measure_indexes.set_ef_search then v_shard.ef_search else s.ef_search end,
        ef_search_100 = case when measure_indexes.set_ef_search then v_shard.ef_search_100 else s.ef_search_100 end,
        ef_search_fused = case when measure_indexes.set_ef_search then v_shard.ef_search_fused
          else s.ef_search_fused end,
        index_recall = case when measure_indexes.set_ef_search then v_shard.index_recall else s.index_recall end,
        far_distance = case when measure_indexes.set_ef_search then v_shard.far_distance else s.far_distance end,
        far_ef_search = case when measure_indexes.set_ef_search then v_shard.far_ef_search else s.far_ef_search end
    where s.tenant_id = v_tenant_id and s.collection_id = v_collection.id
      and s.vector_space_id = v_shard.vector_space_id and s.id = v_shard.id and s.state = 'serving';
    v_is_set := found and measure_indexes.set_ef_search;
    v_indexes := v_indexes || (
      jsonb_build_object('shard', v_shard.id, 'embedding_model', v_space.embedding_model, 'vectors',
        v_shard.vector_count,
                         'is_indexed', true)
      || v_measurement
      || jsonb_build_object('ef_search_fused', v_shard.ef_search_fused,
                            'suggested_ef_search', v_chosen.ef_search,
                            'suggested_ef_search_100', v_chosen.ef_search_100,
                            'suggested_ef_search_fused', v_chosen.ef_search_fused,
                            'suggested_far_distance', nullif(nullif(v_chosen.far_distance, 'infinity'), '-infinity'),
                            'suggested_far_ef_search', v_chosen.far_ef_search, 'is_set', v_is_set));
  end loop;
  return jsonb_build_object('collection', v_collection.name, 'indexes', v_indexes);
end
$$;

comment on function braid_calls.measure_indexes(text, int, boolean) is
  'Do the work of braid.measure_index_recall.';
