create or replace function braid_store.demanded_if_few(
  tenant_id int,
  collection braid_store.collections,
  demands braid_store.text_query,
  max_count int
)
returns bigint[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  c_several constant int := 4;
  v_sample_size int;
  v_sampled bigint[];
  v_demanded bigint[];
begin
  -- If the first sample contains few matches, the second, larger sample decides.
  foreach v_sample_size in array '{50,1000}'::int[] loop
    v_sampled := braid_store.sampled_chunk_ids(demanded_if_few.tenant_id, (demanded_if_few.collection).id,
      v_sample_size);
    if cardinality(braid_store.demanded_chunks(demanded_if_few.tenant_id, demanded_if_few.collection, v_sampled,
                                               demanded_if_few.demands)) >= c_several then
      return null;
    end if;
  end loop;

  -- Reading all rows in order costs a tenth of looking them up one by one.
  execute format($query$
    select array(
      select f.chunk_id
      from (
        select f.chunk_id, f.lexemes, ' ' || f.lexemes || ' ' as words, f.position_ends, f.positions
        from braid_store.forward_rows f
        where f.tenant_id = $1 and f.collection_id = $2
        offset 0
      ) f
      where %s
      limit $3)
    $query$, braid_store.demand_test((demanded_if_few.demands).conditions))
  into v_demanded
  using demanded_if_few.tenant_id, (demanded_if_few.collection).id, demanded_if_few.max_count + 1;
  return case when cardinality(v_demanded) <= demanded_if_few.max_count then v_demanded end;
end
$$;

comment on function braid_store.demanded_if_few(int, braid_store.collections, braid_store.text_query, int) is
  'Return the chunks that meet the conditions of demands, a query made by braid_store.demands_of, if they are rare; '
  'else null. They are rare if fewer than 4 chunks of a sample of 1000, and at most max_count of all chunks, meet '
  'the conditions. The result may contain deleted chunks.';
