create or replace function braid_store.pack_blocks(elements int[], weight float8, chunk_count int)
returns @vector@.sparsevec[]
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
begin
  return array(
    select coalesce('{' || p.elements || '}/8192', '{}/8192')::@vector@.sparsevec
    from generate_series(0, (pack_blocks.chunk_count - 1) >> 13) b (block)
    left join (
      select ((e.element >> 11) - 1) >> 13 as block,
             string_agg((((e.element >> 11) - 1) & 8191) + 1 || ':'
                        || (((e.element & 2047) * pack_blocks.weight)::float4)::text, ',') as elements
      from (select unnest(pack_blocks.elements) as element) e
      group by 1
    ) p on p.block = b.block
    order by b.block);
end
$$;

comment on function braid_store.pack_blocks(int[], float8, int) is
  'The elements of a list as one sparse vector for every 8192 chunk numbers: vectors are added a thousand numbers a '
  'microsecond, elements two.';
