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
    select ('{' || coalesce(p.numbers, '') || '}/' || braid_store.block_size()::text)::@vector@.sparsevec
    from generate_series(0, (pack_blocks.chunk_count - 1) >> braid_store.block_bits()) b (block_number)
    left join (
      -- Add 1, because the indices of a sparse vector begin at 1.
      select (e.chunk_number - 1) >> braid_store.block_bits() as block_number,
             string_agg((((e.chunk_number - 1) & (braid_store.block_size() - 1)) + 1)::text || ':'
                        || ((e.impact * pack_blocks.weight)::float4)::text, ',') as numbers
      from (
        select u.element >> braid_store.impact_bits() as chunk_number, u.element & braid_store.max_impact() as impact
        from (select unnest(pack_blocks.elements) as element) u
      ) e
      group by 1
    ) p on p.block_number = b.block_number
    order by b.block_number);
end
$$;

comment on function braid_store.pack_blocks(int[], float8, int) is
  'Turn a posting list into one sparse vector for each block of chunk numbers, with impact times weight as values. '
  'Blocks are faster than lists: PostgreSQL adds a thousand vector elements per microsecond, but only two list '
  'elements.';
