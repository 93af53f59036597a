create or replace function braid_store.gather_candidates(
  tenant_id int,
  collection_id int,
  query braid_store.text_query,
  segment_ids bigint[],
  scales float8[],
  growth float8,
  short_places bigint[],
  short_bounds float8[],
  are_driven boolean[],
  only_short boolean,
  low float8,
  high float8,
  out places bigint[],
  out bounds float8[]
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set work_mem = '64MB'
as $$
#variable_conflict use_column
declare
  v_level @vector@.vector;
begin
  if growth is null then
    select array_agg(s.place order by s.bound desc), array_agg(s.bound order by s.bound desc)
    into places, bounds
    from unnest(gather_candidates.short_places, gather_candidates.short_bounds, gather_candidates.are_driven)
           s (place, bound, is_driven)
    where s.is_driven and s.bound >= gather_candidates.low and s.bound < gather_candidates.high;
    return;
  end if;

  v_level := array_fill((gather_candidates.low / gather_candidates.growth)::float4, array[8192])::@vector@.vector;
  with blocks as materialized (
    select b.segment_number, b.block_number, b.sum, b.mask,
           case when not gather_candidates.only_short then
             case when b.mask is null then @vector@.binary_quantize(b.sum operator(@vector@.-) v_level)
                  else @vector@.binary_quantize(b.sum operator(@vector@.-) v_level) & b.mask end end as bits
    from braid_store.sum_long_lists(gather_candidates.tenant_id, gather_candidates.collection_id,
                                    gather_candidates.query, gather_candidates.segment_ids, gather_candidates.scales,
                                    gather_candidates.growth, 1) b
  ), by_list as (
    select s.place,
           s.bound + coalesce(gather_candidates.growth * @vector@.vector_norm(
             @vector@.subvector(b.sum, (((s.place & 1048575) - 1)::int & 8191) + 1, 1)), 0) as bound
    from (
      select unnest(gather_candidates.short_places) as place, unnest(gather_candidates.short_bounds) as bound,
             unnest(gather_candidates.are_driven) as is_driven
    ) s
    left join blocks b
      on b.segment_number = (s.place >> 20)::int and b.block_number = ((((s.place & 1048575) - 1) >> 13) + 1)::int
    where s.is_driven or get_bit(b.mask, ((s.place & 1048575) - 1)::int & 8191) = 1
  ), by_block as (
    select (b.segment_number::bigint << 20) + ((b.block_number - 1) << 13) + i.number as place,
           gather_candidates.growth * @vector@.vector_norm(@vector@.subvector(b.sum, i.number, 1)) as bound
    from blocks b,
         -- Where 512 bits, as text, have ones, the zeros between them tell where they are.
         lateral (
           select p.part, substring(b.bits from p.part * 512 + 1 for 512) as bits from generate_series(0, 15) p (part)
           offset 0
         ) p,
         lateral (
           select p.part * 512 + (sum(length(t.zeros) + 1) over (order by t.place))::int as number
           from string_to_table(rtrim(p.bits::text, '0'), '1') with ordinality t (zeros, place)
           offset 0
         ) i
    where bit_count(b.bits) > 0 and bit_count(p.bits) > 0
      and i.number <= p.part * 512 + 512 and get_bit(b.bits, i.number - 1) = 1
  )
  select array_agg(c.place order by c.bound desc), array_agg(c.bound order by c.bound desc)
  into places, bounds
  from (
    select c.place, max(c.bound) as bound
    from (select * from by_list union all select * from by_block) c
    where c.bound >= gather_candidates.low
    group by c.place
  ) c
  where c.bound < gather_candidates.high;
end
$$;

comment on function braid_store.gather_candidates(int, int, braid_store.text_query, bigint[], float8[], float8, bigint[],
                                                  float8[], boolean[], boolean, float8, float8) is
  'The chunks whose bounds are in a range, highest first: those of short lists, with what long lists add, and those that '
  'long lists alone lift so high.';
