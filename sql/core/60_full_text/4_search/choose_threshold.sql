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
declare
  v_width int := @vector@.vector_dims(sums[1]);
  v_low float8 := 0;
  v_low_count float8 := v_width * cardinality(sums) + 1;
  v_high float8 := highest;
  -- The estimate of the number of chunks that reach the highest bound: hardly any chunk contains every word as often as
  -- possible. It is replaced when a bound proves too low, for example because all words occur together.
  v_high_count float8 := 1e-6;
  v_middle float8;
  v_level @vector@.vector;
  v_count float8;
begin
  for v_step in 1..20 loop
    -- The number of chunks above a bound falls roughly exponentially as the bound rises.
    v_middle := v_low + (v_high - v_low) * least(greatest(
      ln(v_low_count / (1.4 * target)) / ln(v_low_count / v_high_count), 0.1), 0.9);
    v_level := braid_store.constant_block(v_middle / growth, v_width);
    if masks is null then
      v_count := (
        select sum(bit_count(@vector@.binary_quantize(s.sum operator(@vector@.-) v_level)))
        from (select unnest(sums) as sum) s);
    else
      v_count := (
        select sum(bit_count(@vector@.binary_quantize(s.sum operator(@vector@.-) v_level) & s.mask))
        from (select unnest(sums) as sum, unnest(masks) as mask) s);
    end if;
    if v_count >= target then
      v_low := v_middle;
      v_low_count := v_count;
      exit when v_count <= 2 * target;
      v_high_count := greatest(v_high_count, 0.5);
    else
      v_high := v_middle;
      v_high_count := greatest(v_count, 0.5);
      exit when v_high < highest / 1000;
    end if;
  end loop;
  return v_low;
end
$$;

comment on function braid_store.choose_threshold(@vector@.vector[], bit varying[], float8, float8, float8) is
  'Find a bound that about target chunks of a sample of blocks reach, and at most 2 * target; 0 if fewer than target '
  'have any bound. sums: for each block, a vector of the chunks'' bounds divided by growth. masks: for each block, a '
  'bit for every chunk that may match; null if all chunks may match. highest: the maximum of all bounds.';
