create or replace function braid_store.score_scale(
  normalisation text,
  leg text,
  distance text,
  lowest float8,
  highest float8,
  mean float8,
  deviation float8,
  collection_mean float8,
  out shift float8,
  out scale float8,
  out floor float8,
  out ceiling float8
)
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  -- Less than this is noise of floating point, and would be blown up.
  v_is_flat boolean := highest - lowest <= 1e-9 * greatest(abs(lowest), abs(highest));
  v_constant float8;
begin
  shift := 0;
  scale := 1;
  if highest is null or leg = 'full_text' and highest <= 0 then
    v_constant := 0;
  else
    case
      when normalisation = 'minmax' then
        shift := lowest;
        scale := highest - lowest;
        v_constant := case when v_is_flat then 1 end;
      -- The lowest score that there can be; an inner product has no bound, and is taken from 0.
      when normalisation = 'theoretical' or normalisation = 'centroid' and leg = 'full_text' then
        shift := case when leg = 'semantic' and distance = 'cosine' then -1 else 0 end;
        scale := highest - shift;
        floor := 0;
        v_constant := case when scale <= 1e-9 * abs(shift) then 0 end;
      when normalisation = 'centroid' then
        -- Where nothing found is above the mean, the lowest is the best zero there is: the order stays.
        shift := case when highest - collection_mean > 1e-9 * greatest(abs(highest), abs(collection_mean))
                      then collection_mean else lowest end;
        scale := highest - shift;
        v_constant := case when shift = lowest and v_is_flat then 1 end;
      when normalisation = 'zscore' then
        shift := mean;
        scale := deviation;
        v_constant := case when v_is_flat then 0 end;
      when normalisation = 'dbsf' then
        shift := mean - 3 * deviation;
        scale := 6 * deviation;
        v_constant := case when v_is_flat then 0.5 end;
      when normalisation = 'saturate' then
        scale := case leg when 'full_text' then 10 else 1 end;
        floor := 0;
        ceiling := 1;
      else -- none
    end case;
  end if;
  if v_constant is not null then
    shift := 0;
    scale := 1;
    floor := v_constant;
    ceiling := v_constant;
  end if;
end
$$;

comment on function braid_store.score_scale(text, text, text, float8, float8, float8, float8, float8) is
  'How scores of a leg are normalised: least(greatest((score - shift) / scale, floor), ceiling), null bounds not counting. '
  'lowest, highest, mean and (sample) deviation are those of the leg''s scores over all candidates, null if it has none. '
  'minmax: from the lowest to the highest. theoretical: from the lowest score there can be (BM25 and inner product 0, cosine '
  '-1) to the highest. centroid: BM25 as theoretical, similarities from collection_mean to the highest. zscore: deviations '
  'from the mean. saturate: BM25 / 10, at most 1; similarities as they are within 0 and 1. none: as they are. dbsf '
  '(Mazzeschi 2023, as Qdrant): from mean - 3 to mean + 3 deviations. Where all scores are equal there is nothing to '
  'scale by: minmax, and centroid at or below collection_mean, give 1, zscore 0, dbsf 0.5; a leg without a score above 0 '
  '(full text) or without any (semantic) gives 0.';
