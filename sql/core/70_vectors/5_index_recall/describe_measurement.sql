create or replace function braid_store.describe_measurement(
  curve braid_store.recall_curve,
  ef_search int,
  ef_search_100 int,
  far_distance float8,
  far_ef_search int,
  own_counts jsonb,
  sample_count int
)
returns jsonb
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  with answer as materialized (
    select * from braid_store.curve_answers(describe_measurement.curve)
  ), found as (
    -- If the curve has no entry for a width, the next lower entry is used. Queries that found everything there were not
    -- run again, because wider searches find the same.
    select u.nearest_count, avg(r.index_recall) as index_recall,
           coalesce(stddev(r.index_recall), 0) / sqrt(count(r.index_recall)) as error,
           avg((r.is_far)::int) as far_share
    from unnest('{10,100}'::int[], array[describe_measurement.ef_search, describe_measurement.ef_search_100])
           u (nearest_count, width)
    join answer a on a.ef_search = (select max(b.ef_search) from answer b where b.ef_search <= u.width)
    join answer f on f.query = a.query and f.ef_search = (
      select max(b.ef_search) from answer b where b.ef_search <= greatest(u.width, describe_measurement.far_ef_search)),
    lateral (select coalesce(a.found_distance > describe_measurement.far_distance, false) as is_far) i,
    lateral (
      select i.is_far,
             case when not i.is_far then case u.nearest_count when 10 then a.index_recall_10 else a.index_recall_100 end
                  -- Without a width for them, far answers are compared exactly.
                  when describe_measurement.far_ef_search is null then 1
                  when u.nearest_count = 10 then f.index_recall_10
                  else f.index_recall_100 end as index_recall
    ) r
    group by u.nearest_count
  )
  select jsonb_build_object(
           'measured_at', clock_timestamp(),
           'queries',
           (select coalesce(jsonb_object_agg(s.name, coalesce(own_counts -> s.name, '0')), '{}')
            from braid_store.parts p, jsonb_object_keys(p.manifest -> 'own_queries') s (name))
           || jsonb_build_object('sample', sample_count),
           'ef_search', describe_measurement.ef_search, 'ef_search_100', describe_measurement.ef_search_100,
           'far_distance', nullif(nullif(describe_measurement.far_distance, 'infinity'), '-infinity'),
           'far_ef_search', describe_measurement.far_ef_search,
           'far_share', round((select f.far_share from found f where f.nearest_count = 10), 4),
           'index_recall_10', (select f.index_recall from found f where f.nearest_count = 10),
           'error_10', (select f.error from found f where f.nearest_count = 10),
           'index_recall_100', (select f.index_recall from found f where f.nearest_count = 100),
           'error_100', (select f.error from found f where f.nearest_count = 100),
           'widths', coalesce(
             (select jsonb_agg(to_jsonb(m) order by m.ef_search)
              from (
                select a.ef_search, avg(a.index_recall_10) as index_recall_10,
                       coalesce(stddev(a.index_recall_10), 0) / sqrt(count(*)) as error_10,
                       avg(a.index_recall_100) as index_recall_100,
                       coalesce(stddev(a.index_recall_100), 0) / sqrt(count(a.index_recall_100)) as error_100
                from answer a
                group by a.ef_search
              ) m), '[]'))
  where describe_measurement.curve is not null;
$$;

comment on function braid_store.describe_measurement(braid_store.recall_curve, int, int, float8, int, jsonb, int) is
  'Return the report of a measurement, as it is stored and shown; null without a curve. It tells when the '
  'measurement was made and with how many queries of each kind (own_counts: the counts of own_queries). It also has '
  'the index recall of searches for the 10 and the 100 nearest; far answers count as searched again (far_share). '
  'widths has the index recall of single searches at each width of the curve.';
