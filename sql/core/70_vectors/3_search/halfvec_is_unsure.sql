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
  -- Rounding errors are proportional to this length of the vectors.
  v_length float8 := case halfvec_is_unsure.distance
                       when 'cosine' then 1
                       when 'inner_product' then abs(v_distances[1])
                       else @vector@.vector_norm(query_embedding) + v_distances[v_count] end;
  -- Rounding to 11 bits moves a vector by about 0.0002 of its length in a random direction, so it changes a distance by
  -- this amount divided by sqrt(dimensions). The limit is five times as large, because both compared vectors are
  -- rounded. If all distances differ by less than a millionth, any choice is right: single precision hardly
  -- distinguishes them.
  v_least float8 := 1e-6 * v_length;
  v_most float8 := 0.001 * v_length / sqrt(@vector@.vector_dims(query_embedding)::float8);
begin
  -- A tenth of the distances is kept as a margin, even if the index was not searched widely enough to return more than
  -- candidate_count.
  return coalesce(v_distances[v_count] - v_distances[least(candidate_count, v_count * 9 / 10)] between v_least
    and v_most
                  or v_distances[least(10, v_count)] - v_distances[1] between v_least and v_most, false);
end
$$;

comment on function braid_store.halfvec_is_unsure(text, @vector@.vector, float8[], int) is
  'Tell whether an index over halfvec may have missed some of the candidate_count nearest vectors. It may if the '
  'distances found, among the first ten or from the last candidate on, differ by less than halfvec''s precision.';
