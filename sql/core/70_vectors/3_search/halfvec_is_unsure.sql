create or replace function braid_store.halfvec_is_unsure(
  distance text,
  query_embedding @vector@.vector,
  distances float8[],
  candidate_count int
)
returns boolean
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  -- Equal vectors count once.
  v_distances float8[] := array(select distinct u.d from unnest(halfvec_is_unsure.distances) u (d) order by u.d);
  v_count int := cardinality(v_distances);
  -- How long the vectors are, which an error of rounding is proportional to.
  v_length float8 := case halfvec_is_unsure.distance
                       when 'cosine' then 1
                       when 'inner_product' then abs(v_distances[1])
                       else @vector@.vector_norm(query_embedding) + v_distances[v_count] end;
  -- Rounding to 11 bits moves a vector by about 0.0002 of its length, in no direction rather than another, so a
  -- distance by that divided by sqrt(dimensions). Five times as much is room for both vectors that are compared. Where
  -- all differ by less than a millionth, it is no matter which are found: single precision hardly knows either.
  v_least float8 := 1e-6 * v_length;
  v_most float8 := 0.001 * v_length / sqrt(@vector@.vector_dims(query_embedding)::float8);
begin
  -- A tenth to spare, also if the index was not wide enough to give more than candidate_count.
  return coalesce(v_distances[v_count] - v_distances[least(candidate_count, v_count * 9 / 10)] between v_least
    and v_most
                  or v_distances[least(10, v_count)] - v_distances[1] between v_least and v_most, false);
end
$$;

comment on function braid_store.halfvec_is_unsure(text, @vector@.vector, float8[], int) is
  'Tell whether an index over halfvec may have left out some of the candidate_count nearest vectors: distances of '
  'those that it found differ by less than halfvec is exact, among the first ten or behind the last that is wanted.';
