create or replace function braid_store.p_value_of_choice(
  found float8[],
  folds int[],
  gain float8,
  resample_count int,
  seed int
)
returns float8
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
as $$
  with differences as materialized (
    select (u.number - 1) / cardinality(folds) as place, (u.number - 1) % cardinality(folds) + 1 as query,
           folds[(u.number - 1) % cardinality(folds) + 1] as fold,
           u.value - found[(u.number - 1) % cardinality(folds) + 1] as difference
    from unnest(found) with ordinality u (value, number)
  )
  select (1 + count(*) filter (where abs(s.total) / cardinality(folds) >= p_value_of_choice.gain - 1e-9)) / (1
    + resample_count)::float8
  from generate_series(1, resample_count) b,
       lateral (
         select sum(c.own) as total
         from (
           -- For each fold, take the configuration that the other folds choose; in a tie up to rounding, the first.
           select distinct on (o.fold) o.own
           from (
             select t.place, t.fold, t.own, sum(t.own) over (partition by t.place) - t.own as others
             from (
               -- Take random numbers from a hash: random() would depend on the session and on the version of
               -- PostgreSQL.
               select d.place, d.fold,
                      sum(case hashint8extended((b - 1)::bigint * cardinality(folds) + d.query, seed::bigint) & 1
                            when 0 then d.difference else -d.difference end) as own
               from differences d
               group by d.place, d.fold
             ) t
           ) o
           order by o.fold, round(o.others * 1e8) desc, o.place
         ) c
       ) s;
$$;

comment on function braid_store.p_value_of_choice(float8[], int[], float8, int, int) is
  E'Return the two-sided p-value of a randomisation test: how often chance alone gives a gain as large as this one on '
  'held-out queries.\n'
  'Each sample draws queries that swap each configuration with the present one, for all configurations at once, and '
  'chooses anew for each fold. found: the values of all queries for the first configuration, which is the present '
  'one, then for the next. folds: the fold of each query. The same seed gives the same result.';
