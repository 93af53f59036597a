create or replace function braid_store.gather_plain(
  tenant_id int,
  collection_id int,
  lexemes text[],
  weights float8[],
  segment_ids bigint[],
  scales float8[],
  block_width int,
  target float8,
  floor float8,
  high float8,
  out places bigint[],
  out bounds float8[],
  out low float8
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
begin
  -- The steps are the same as in gather_candidates, without the masks that tell which chunks may match.
  with lists as materialized (
    select s.segment_number, q.weight * gather_plain.scales[s.segment_number] / braid_store.max_impact() as unit,
           p.elements, p.block_weight, p.blocks
    from unnest(gather_plain.lexemes, gather_plain.weights) q (lexeme, weight),
         lateral (
           select p.segment_id, p.elements, p.block_weight, p.blocks from braid_store.postings p
           where p.tenant_id = gather_plain.tenant_id and p.collection_id = gather_plain.collection_id
             and p.lexeme = q.lexeme and (p.elements is not null or p.block_weight is not null)
           offset 0
         ) p,
         lateral (select array_position(gather_plain.segment_ids, p.segment_id)::bigint as segment_number offset 0) s
  ), growth as materialized (
    select (1 + 1e-5 + 1e-7 * cardinality(gather_plain.lexemes))
           * coalesce(nullif(percentile_disc(0.9) within group (order by l.unit / l.block_weight), 0::float8),
             1) as growth
    from lists l
    where l.block_weight is not null and l.unit > 0
  ), sums as materialized (
    select b.place,
           @vector@.sum(case when b.multiplier is null then b.block
                             else b.block operator(@vector@.*) b.multiplier end) as sum
    from (
      select l.multiplier,
             (l.segment_number << braid_store.chunk_number_bits()) + ((l.block_number - 1) << braid_store.block_bits())
               as place,
             case when gather_plain.block_width = braid_store.block_size() then l.block::@vector@.vector
                  else @vector@.subvector(l.block::@vector@.vector, 1, gather_plain.block_width) end as block
      from (
        select l.segment_number, f.multiplier, generate_subscripts(f.blocks, 1) as block_number,
          unnest(f.blocks) as block
        from growth g, lists l,
             lateral (
               select case when l.unit / (l.block_weight * g.growth) not between 0.95 and 1
                           then braid_store.constant_block(l.unit / (l.block_weight * g.growth),
                             gather_plain.block_width)
                      end as multiplier,
                      trim_array(l.blocks, 0) as blocks
               offset 0
             ) f
        where l.block_weight is not null
      ) l
    ) b
    group by b.place
  ), level as materialized (
    select t.low, g.growth,
           braid_store.constant_block(case when t.low > 0 then greatest(least(t.low / g.growth * (1 - 1e-6), 1e30),
             1e-30)
                                           else t.low end, gather_plain.block_width) as block
    from growth g,
         lateral (
           select greatest(gather_plain.floor, (
                    select braid_store.choose_threshold(
                             s.sums, null, g.growth,
                             (select max(h.bound)
                              from (
                                select sum(l.unit) * braid_store.max_impact() as bound
                                from lists l
                                where l.block_weight is not null
                                group by l.segment_number
                              ) h),
                             s.target)
                    from (
                      select array_agg(s.sum) as sums, gather_plain.target
                        * count(*)::float8 / max(n.count)::float8 as target
                      from (select count(*) as count from sums) n, sums s
                      where ((s.place >> braid_store.block_bits()) + (s.place >> braid_store.chunk_number_bits()))
                            % greatest(n.count / 6, 1) = 0
                    ) s
                    where s.target > 0), (
                    -- Short lists alone may hold enough chunks with higher bounds, where rare words meet common ones.
                    select sum(e.bound)
                    from (
                      select l.segment_number, e.element >> braid_store.impact_bits() as chunk_number,
                             (e.element & braid_store.max_impact()) * l.unit as bound
                      from lists l, unnest(l.elements) e (element)
                      where l.elements is not null
                    ) e
                    where exists (select from sums) -- Without long lists, all places are gathered at once.
                    group by e.segment_number, e.chunk_number
                    having sum(e.bound) < gather_plain.high
                    order by 1 desc
                    offset ceil(gather_plain.target) - 1 limit 1)) as low
           offset 0
         ) t
  ), parts as materialized (
    select array_agg(p.place) as places, string_agg(p.bits::text, '') as bits
    from (
      select b.place + p.part * 512 as place, substring(b.bits from p.part * 512 + 1 for 512) as bits
      from (
        select s.place, @vector@.binary_quantize(s.sum operator(@vector@.-) l.block) as bits
        from sums s, level l
        offset 0
      ) b,
      generate_series(0, gather_plain.block_width / 512 - 1) p (part)
      where bit_count(b.bits) > 0
      offset 0
    ) p
    where bit_count(p.bits) > 0
  ), found as (
    select f.place, sum(f.bound) as bound,
      ((f.place - 1) & (braid_store.block_size() - 1)::bigint)::int as place_in_block
    from (
      select l.segment_number << braid_store.chunk_number_bits() | (l.element >> braid_store.impact_bits()) as place,
             (l.element & braid_store.max_impact()) * l.unit as bound
      from (select l.segment_number, l.unit, unnest(l.elements) as element from lists l where l.elements is not null) l
      union all
      select p.places[(o.number - 1) / 512 + 1] + (o.number - 1) % 512::bigint + 1, 0
      from parts p,
           lateral (
             select sum(octet_length(t.zeros) + 1) over (order by t.place rows unbounded preceding) as number
             from string_to_table(p.bits, '1') with ordinality t (zeros, place)
             offset 0
           ) o
      where o.number <= octet_length(p.bits)
    ) f
    group by f.place
  )
  select array_agg(c.place order by c.bound desc), array_agg(c.bound order by c.bound desc), (select l.low from level l)
  into places, bounds, low
  from level l,
       lateral (
         select f.place, f.bound + coalesce(l.growth * @vector@.vector_norm(
                           @vector@.subvector(s.sum, f.place_in_block + 1, 1)), 0) as bound
         from found f
         left join sums s on s.place = f.place - 1 - f.place_in_block
         offset 0
       ) c
  where c.bound >= l.low and c.bound < gather_plain.high;
end
$$;

comment on function braid_store.gather_plain(int, int, text[], float8[], bigint[], float8[], int, float8, float8,
                                             float8) is
  'Return exactly the result of gather_candidates for a query that demands nothing and has no phrases. This function '
  'exists because a new session plans it in half the time.';
