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
  v_low float8 := 0;
  v_high float8 := highest;
  v_middle float8;
  v_level @vector@.vector;
  v_count bigint;
begin
  for v_step in 1..20 loop
    v_middle := (v_low + v_high) / 2;
    v_level := array_fill((v_middle / growth)::float4, array[8192])::@vector@.vector;
    if masks is null then
      v_count := (select sum(bit_count(@vector@.binary_quantize(s operator(@vector@.-) v_level))) from unnest(sums) s);
    else
      v_count := (select sum(bit_count(@vector@.binary_quantize(s.sum operator(@vector@.-) v_level) & s.mask))
                  from unnest(sums, masks) s (sum, mask));
    end if;
    if coalesce(v_count, 0) < target then
      v_high := v_middle;
    else
      v_low := v_middle;
    end if;
    exit when v_count between target and 2 * target or v_high < highest / 1000;
  end loop;
  return v_low;
end
$$;

comment on function braid_store.choose_threshold(@vector@.vector[], bit varying[], float8, float8, float8) is
  'A bound that about target chunks of a sample of blocks are above; 0 if there are not so many. None is above highest.';
