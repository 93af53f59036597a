create or replace function braid_store.choose_threshold(
  sums @vector@.vector[],
  masks bit varying[],
  growth float8,
  highest float8,
  target float8
)
returns float8
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
begin
  return (
    with recursive steps (number, low, low_count, high, high_count, is_last) as (
      -- The first estimate of the number of chunks that reach the highest bound: hardly any chunk contains every word
      -- as often as possible. It is replaced when a bound proves too low, for example because all words occur together.
      select 0, 0::float8, @vector@.vector_dims(choose_threshold.sums[1]) * cardinality(choose_threshold.sums)
             + 1::float8,
             choose_threshold.highest, 1e-6::float8, false
      union all
      select s.number + 1,
             case when c.is_enough then m.bound else s.low end,
             case when c.is_enough then c.count else s.low_count end,
             case when c.is_enough then s.high else m.bound end,
             greatest(case when c.is_enough then s.high_count else c.count end, 0.5),
             case when c.is_enough then c.count <= 2 * choose_threshold.target
                  else m.bound < choose_threshold.highest / 1000 end
      from steps s,
           lateral (
             -- The number of chunks above a bound falls roughly exponentially as the bound rises.
             select s.low + (s.high - s.low) * least(greatest(
                      ln(s.low_count / (1.4 * choose_threshold.target)) / ln(s.low_count / s.high_count), 0.1), 0.9)
                      as bound
             offset 0
           ) m,
           lateral (
             select braid_store.constant_block(m.bound / choose_threshold.growth,
                                               @vector@.vector_dims(choose_threshold.sums[1])) as level
             offset 0
           ) l,
           lateral (
             select n.count, n.count >= choose_threshold.target as is_enough
             from (
               select sum(case when choose_threshold.masks is null
                               then bit_count(@vector@.binary_quantize(b.sum operator(@vector@.-) l.level))
                               else bit_count(@vector@.binary_quantize(b.sum operator(@vector@.-) l.level) & b.mask)
                          end)::float8 as count
               from (select unnest(choose_threshold.sums) as sum, unnest(choose_threshold.masks) as mask) b
             ) n
             offset 0
           ) c
      where s.number < 20 and not s.is_last
    )
    select s.low from steps s order by s.number desc limit 1);
end
$$;

comment on function braid_store.choose_threshold(@vector@.vector[], bit varying[], float8, float8, float8) is
  'Find a bound that about target chunks of a sample of blocks reach, and at most 2 * target; 0 if fewer than target '
  'have any bound. sums: for each block, a vector of the chunks'' bounds divided by growth. masks: for each block, a '
  'bit for every chunk that may match; null if all chunks may match. highest: the maximum of all bounds.';
