create or replace function braid_store.resampled_difference(
  differences float8[],
  resample_count int,
  seed int,
  out lower_bound float8,
  out upper_bound float8,
  out p_value float8
)
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
as $$
  -- Take random numbers from a hash: random() would depend on the session and on the version of PostgreSQL. The lowest
  -- bit swaps the two rankings, and the other bits draw a query.
  select percentile_cont(0.025) within group (order by s.drawn / cardinality(differences)),
         percentile_cont(0.975) within group (order by s.drawn / cardinality(differences)),
         (1 + count(*) filter (where abs(s.swapped) >= abs(t.total) - 1e-9)) / (1 + resample_count)::float8
  from (
    select b,
           sum(differences[1 + ((h.hash >> 1) & 4611686018427387903) % cardinality(differences)]) as drawn,
           sum(case h.hash & 1 when 0 then differences[i] else -differences[i] end) as swapped
    from generate_series(1, resample_count) b,
         generate_series(1, cardinality(differences)) i,
         lateral (select hashint8extended((b - 1)::bigint * cardinality(differences) + i,
           seed::bigint) as hash offset 0) h
    group by b
  ) s,
  (select sum(d) as total from unnest(differences) d) t;
$$;

comment on function braid_store.resampled_difference(float8[], int, int) is
  E'Return how certain the mean of paired differences is.\n'
  'lower_bound and upper_bound hold 95 % of the means of samples drawn with replacement (percentile bootstrap). '
  'p_value is two-sided, of the paired randomisation test (Smucker, Allan & Carterette 2007). The same seed gives '
  'the same result.';
