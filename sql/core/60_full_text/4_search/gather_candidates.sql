create or replace function braid_store.gather_candidates(
  tenant_id int,
  collection_id int,
  query braid_store.text_query,
  segment_ids bigint[],
  scales float8[],
  block_width int,
  among bigint[],
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
declare
  v_lexemes text[] := gather_candidates.query.lexemes;
  v_weights float8[] := gather_candidates.query.weights;
  v_phrases text[] := gather_candidates.query.phrases;
  v_drivers text[] := gather_candidates.query.driver_lexemes;
  v_required text[] := gather_candidates.query.required_lexemes;
  v_excluded text[] := array(
    select c.lexemes[1]
    from unnest(gather_candidates.query.conditions) c
    where c.is_excluded and not c.is_prefix and cardinality(c.lexemes) = 1);
  v_has_driver boolean := v_drivers <> '{}';
  v_is_masked boolean := v_has_driver or v_excluded <> '{}';
  v_finds_places boolean := gather_candidates.among is null;
  v_width int := gather_candidates.block_width;
  v_none bit varying := repeat('0', v_width)::bit varying;
  v_all bit varying := repeat('1', v_width)::bit varying;
  -- The margin allows for rounding in single precision, because a bound must not be too low.
  v_margin float8 := 1 + 1e-5 + 1e-7 * cardinality(v_lexemes);
begin
  -- The query has four steps. It reads the lists of the query's lexemes, adds up the long lists block by block, chooses
  -- the lowest bound that counts, and returns the places that reach it.

  -- 1. Each lexeme has a list in each segment. A short list has an element for each chunk with the lexeme; a long one
  --    has blocks, with a number for every chunk. An impact times unit is the most that the lexeme adds to the score of
  --    a chunk. Excluded lexemes add nothing. Only their long lists are read, because these show which chunks to leave
  --    out.
  with lists as materialized (
    select s.segment_number, q.lexeme,
      q.weight * gather_candidates.scales[s.segment_number] / braid_store.max_impact() as unit,
           p.elements, p.block_weight, p.blocks
    from (
      select q.lexeme, q.weight, false as is_mask from unnest(v_lexemes, v_weights, v_phrases) q (lexeme, weight,
        phrase)
      where q.phrase is null
      union all
      select e.lexeme, 0, true from unnest(v_excluded) e (lexeme)
      where not exists (select from unnest(v_lexemes, v_phrases) q (lexeme, phrase)
                        where q.lexeme = e.lexeme and q.phrase is null)
    ) q,
         lateral (
           select p.segment_id, p.elements, p.block_weight, p.blocks from braid_store.postings p
           where p.tenant_id = gather_candidates.tenant_id and p.collection_id = gather_candidates.collection_id
             and p.lexeme = q.lexeme and (p.elements is not null and not q.is_mask or p.block_weight is not null)
           offset 0
         ) p,
         lateral (
           select array_position(gather_candidates.segment_ids, p.segment_id)::bigint as segment_number offset 0
         ) s
    union all
    select s.segment_number, q.lexeme, q.weight * gather_candidates.scales[s.segment_number] / braid_store.max_impact(),
           p.elements, null, null
    from (
           -- Several words of the query may have the same phrase, whose list is computed once.
           select q.lexeme, q.phrase, sum(q.weight) as weight
           from unnest(v_lexemes, v_weights, v_phrases) q (lexeme, weight, phrase)
           where v_phrases <> '{}' and q.phrase is not null
           group by q.lexeme, q.phrase
         ) q,
         lateral braid_store.phrase_elements(gather_candidates.tenant_id, gather_candidates.collection_id, q.phrase) p,
         lateral (
           select array_position(gather_candidates.segment_ids, p.segment_id)::bigint as segment_number offset 0
         ) s
  ), growth as materialized (
    -- 2. Long lists store impacts times block_weight, so each has a factor that turns its values into bounds. growth is
    --    a factor that fits most long lists. It is applied once, to their sum, so that few lists need their own factor.
    select v_margin * coalesce(nullif(percentile_disc(0.9) within group (order by l.unit / l.block_weight), 0), 1)
             as growth
    from lists l
    where l.block_weight is not null and l.unit > 0
  ), sums as materialized (
    -- This is the sum of the long lists, for each block of each segment. The sum times growth is the long lists' part
    -- of the bounds.
    select b.place,
           @vector@.sum(case when b.multiplier is null then b.block
                             else b.block operator(@vector@.*) b.multiplier end) as sum,
           -- The mask marks the chunks that may match, as far as long lists tell: they have at least one driver lexeme,
           -- all required lexemes and no excluded lexeme.
           case when v_is_masked
                then (case when v_has_driver then coalesce(bit_or(b.bits) filter (where b.lexeme = any (v_drivers)),
                  v_none)
                           else v_all end
                     & coalesce(bit_and(b.bits) filter (where b.lexeme = any (v_required)), v_all)
                     & ~ coalesce(bit_or(b.bits) filter (where b.lexeme = any (v_excluded)), v_none))::bit varying
                       end as mask
    from (
      select l.lexeme, l.multiplier,
             (l.segment_number << braid_store.chunk_number_bits()) + ((l.block_number - 1) << braid_store.block_bits())
               as place,
             case when v_width = braid_store.block_size() then l.block::@vector@.vector
                  else @vector@.subvector(l.block::@vector@.vector, 1, v_width) end as block,
             case when l.lexeme = any (v_drivers) or l.lexeme = any (v_required) or l.lexeme = any (v_excluded)
                  then substring(@vector@.binary_quantize(l.block::@vector@.vector) from 1 for v_width)::bit varying
             end as bits
      from (
        select l.segment_number, l.lexeme, f.multiplier,
               generate_subscripts(l.blocks, 1) as block_number, unnest(l.blocks) as block
        from growth g, lists l,
             lateral (
               -- A factor from 0.95 to 1 is replaced by 1: the bound rises, and is still an upper bound.
               select case when l.unit / (l.block_weight * g.growth) not between 0.95 and 1
                           then braid_store.constant_block(l.unit / (l.block_weight * g.growth), v_width)
                             end as multiplier
               offset 0
             ) f
        where l.block_weight is not null
      ) l
    ) b
    group by b.place
  ), sample as materialized (
    -- 3. Choose the threshold low from a sample of about six blocks.
    select array_agg(s.sum) as sums, case when v_is_masked then array_agg(s.mask) end as masks,
           gather_candidates.target * count(*) / max(n.count) as target
    from (select count(*) as count from sums) n, sums s
    where ((s.place >> braid_store.block_bits()) + (s.place >> braid_store.chunk_number_bits()))
          % greatest(n.count / 6, 1) = 0
  ), level as materialized (
    -- block repeats the level for each chunk of a block, to subtract it from a sum. The level is limited to the range
    -- of single precision, which min_score may exceed. It is slightly lower than low, because rounding must not lose a
    -- place that the next pass assumes gathered.
    select t.low, g.growth,
           braid_store.constant_block(case when t.low > 0 then greatest(least(t.low / g.growth * (1 - 1e-6), 1e30),
             1e-30)
                                           else t.low end, v_width) as block
    from growth g,
         lateral (
           select greatest(gather_candidates.floor, (
                    select braid_store.choose_threshold(
                             s.sums, s.masks, g.growth, (select sum(w) from unnest(v_weights) w), s.target)
                    from sample s
                    where v_finds_places and s.target > 0)) as low
           offset 0
         ) t
  ), parts as materialized (
    -- 4. A bit is 1 for each chunk whose long lists alone reach the level. The bits are cut into parts of 512, because
    --    most parts are all zeros and can be skipped.
    select array_agg(p.place) as places, string_agg(p.bits::text, '') as bits
    from (
      select b.place + p.part * 512 as place, substring(b.bits from p.part * 512 + 1 for 512) as bits
      from (
        select s.place, case when s.mask is null then @vector@.binary_quantize(s.sum operator(@vector@.-) l.block)
                             else @vector@.binary_quantize(s.sum operator(@vector@.-) l.block) & s.mask end as bits
        from sums s, level l
        where v_finds_places
        offset 0
      ) b,
      generate_series(0, v_width / 512 - 1) p (part)
      where bit_count(b.bits) > 0
      offset 0
    ) p
    where bit_count(p.bits) > 0
  ), found as (
    -- The places are the chunks marked above and the chunks of short lists, or else the places of among. bound is the
    -- part that short lists add.
    select f.place, sum(f.bound) as bound, bool_or(f.is_driven) as is_driven
    from (
      -- unnest is in the select list, because in FROM it would fill a tuplestore first.
      select l.segment_number << braid_store.chunk_number_bits() | (l.element >> braid_store.impact_bits()) as place,
             (l.element & braid_store.max_impact()) * l.unit as bound, l.is_driven, v_finds_places as is_wanted
      from (
        select l.segment_number, l.unit, not v_has_driver or l.lexeme = any (v_drivers) as is_driven,
               unnest(l.elements) as element
        from lists l
        where l.elements is not null
      ) l
      union all
      -- The lengths of the runs of zeros give the positions of the ones.
      select p.places[(o.number - 1) / 512 + 1] + (o.number - 1) % 512 + 1, 0, true, true
      from parts p,
           lateral (
             select sum(octet_length(t.zeros) + 1) over (order by t.place rows unbounded preceding) as number
             from string_to_table(p.bits, '1') with ordinality t (zeros, place)
             offset 0
           ) o
      where o.number <= octet_length(p.bits)
      union all
      select u.place, 0, true, true from (select unnest(gather_candidates.among) as place) u
    ) f
    group by f.place
    having bool_or(f.is_wanted)
  )
  select array_agg(c.place order by c.bound desc), array_agg(c.bound order by c.bound desc),
         (select l.low from level l)
  into places, bounds, low
  from level l,
       lateral (
         -- vector_norm of a vector with one element returns that element. If no short list gives a driver lexeme for
         -- the place, the mask guarantees that a long list does.
         select f.place, f.bound + coalesce(l.growth * @vector@.vector_norm(
                           @vector@.subvector(s.sum, f.place_in_block + 1, 1)), 0) as bound
         from (
           select f.place, f.bound, f.is_driven,
                  ((f.place - 1) & (braid_store.block_size() - 1))::int as place_in_block
           from found f
         ) f
         left join sums s on s.place = f.place - 1 - f.place_in_block
         where f.is_driven or get_bit(s.mask, f.place_in_block) = 1
         offset 0
       ) c
  -- A place of among that has none of the lexemes has bound 0 and is left out. Without among, bound 0 comes from
  -- lexemes of weight 0, which serve only demands.
  where c.bound >= l.low and c.bound < gather_candidates.high and (v_finds_places or c.bound > 0);
end
$$;

comment on function braid_store.gather_candidates(int, int, braid_store.text_query, bigint[], float8[], int, bigint[],
                                                  float8, float8, float8) is
  'Find the places in the index that are worth scoring, by upper bounds of their scores, highest bound first. low, a '
  'result, is the lowest bound that counts: about target places reach it, and it is floor at least. Places with '
  'bounds of high or more are left out, because an earlier pass gathered them. among: only these places are '
  'considered, and low is floor; null for all. If target is null, low is floor. For places see '
  'braid_store.chunk_number_bits. A bound is the sum of the impacts of the query''s lexemes. Long lists are added '
  'block by block, as vectors; short lists are added element by element. Only chunks whose bound reaches a threshold '
  'are scored (the two levels of Broder et al. 2003).';
