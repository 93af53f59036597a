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
  -- A smaller difference is noise of floating-point arithmetic, which scaling would enlarge.
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
      -- From the lowest score possible. An inner product has no lower bound; 0 is taken.
      when normalisation = 'theoretical' or normalisation = 'centroid' and leg = 'full_text' then
        shift := case when leg = 'semantic' and distance = 'cosine' then -1 else 0 end;
        scale := highest - shift;
        floor := 0;
        v_constant := case when scale <= 1e-9 * abs(shift) then 0 end;
      when normalisation = 'centroid' then
        -- If nothing found is above the mean, the lowest score is the best zero: the order stays.
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
  'Returns how to normalise the scores of a leg: a score becomes (score - shift) / scale, kept between floor and '
  'ceiling; a null bound does not count. lowest, highest, mean and deviation (of the sample) are those of the leg''s '
  'scores over all candidates; null if it has none. minmax: 0 is the lowest score and 1 the highest. theoretical: 0 is '
  'the lowest score possible (BM25 and inner product 0, cosine -1), 1 the highest found. centroid: BM25 as theoretical; '
  'for similarities 0 is collection_mean and 1 the highest. zscore: how many deviations from the mean. saturate: BM25 / '
  '10, at most 1; similarities kept between 0 and 1. none: scores as they are. dbsf (Mazzeschi 2023, as in Qdrant): 0 '
  'is three deviations below the mean, 1 three above. If all scores are equal there is no scale, and all get one '
  'number: 1 under minmax, and under centroid if they are not above collection_mean; 0 under zscore; 0.5 under dbsf. '
  'All get 0 in a full-text leg without a score above 0, and in a semantic leg without scores.';
