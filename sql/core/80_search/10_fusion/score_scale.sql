create or replace function braid_store.score_scale(
  normalisation text,
  leg text,
  distance text,
  lowest float8,
  highest float8,
  mean float8,
  deviation float8,
  collection_mean float8,
  saturate_at float8,
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
  -- If all scores are equal up to rounding errors, dividing by their range would amplify the errors.
  v_is_flat boolean := highest - lowest <= 1e-9 * greatest(abs(lowest), abs(highest));
  v_constant float8;
begin
  shift := 0;
  scale := 1;
  if highest is null or leg in ('full_text', 'sparse') and highest <= 0 then
    v_constant := 0;
  else
    case
      when normalisation = 'minmax' then
        shift := lowest;
        scale := highest - lowest;
        v_constant := case when v_is_flat then 1 end;
      -- The lowest possible score becomes 0: -1 for the cosine. An inner product has no lowest value, so 0 stays 0.
      when normalisation = 'theoretical' or normalisation = 'centroid' and leg in ('full_text', 'sparse') then
        shift := case when leg = 'semantic' and distance = 'cosine' then -1 else 0 end;
        scale := highest - shift;
        floor := 0;
        v_constant := case when scale <= 1e-9 * abs(shift) then 0 end;
      when normalisation = 'centroid' then
        -- If no score is above the mean, the scale would be 0 or negative, which would reverse the order. Then the
        -- lowest score found becomes 0.
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
        scale := case when leg in ('full_text', 'sparse') then coalesce(saturate_at, 10) else 1 end;
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

comment on function braid_store.score_scale(text, text, text, float8, float8, float8, float8, float8, float8) is
  E'Return how to normalise the scores of a leg.\n'
  'A score becomes (score - shift) / scale, limited to the range from floor to ceiling; a null floor or ceiling is '
  'no limit. lowest, highest, mean and deviation (of the sample) describe the leg''s scores over all candidates; '
  'they are null if there are no scores.\n'
  'Each normalisation decides which score becomes 0 and which becomes 1:\n'
  'minmax: the lowest score found, and the highest.\n'
  'theoretical: the lowest possible score (BM25, sparse scores and inner product 0, cosine -1), and the highest '
  'found.\n'
  'centroid: for similarities collection_mean, and the highest found; for BM25 and sparse scores as theoretical.\n'
  'zscore: the mean, and one deviation above it.\n'
  'dbsf (Mazzeschi 2023, as in Qdrant): three deviations below the mean, and three above.\n'
  'saturate: BM25 and sparse scores are divided by saturate_at (10 if null) and capped at 1; similarities are '
  'limited to 0 to 1.\n'
  'none: scores stay as they are.\n'
  'If all scores are equal, they all become one number: 1 under minmax, and under centroid unless they are above '
  'collection_mean; 0 under zscore; 0.5 under dbsf. They all become 0 in a full-text or sparse leg without a score '
  'above 0, and in a semantic leg without scores.';
