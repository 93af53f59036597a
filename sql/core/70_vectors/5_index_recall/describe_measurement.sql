create or replace function braid_store.describe_measurement(
  curve jsonb,
  ef_search int,
  ef_search_100 int,
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
  -- If the curve has no entry for a width, the next lower entry is used. Queries that found everything there were not
  -- run again, because wider searches find the same.
  select jsonb_build_object(
           'measured_at', clock_timestamp(),
           'queries',
           (select coalesce(jsonb_object_agg(s.name, coalesce(own_counts -> s.name, '0')), '{}')
            from braid_store.parts p, jsonb_object_keys(p.manifest -> 'own_queries') s (name))
           || jsonb_build_object('sample', sample_count),
           'ef_search', describe_measurement.ef_search, 'ef_search_100', describe_measurement.ef_search_100)
         || coalesce((
              select jsonb_build_object('index_recall_10', m -> 'index_recall_10', 'error_10', m -> 'error_10')
              from jsonb_array_elements(curve) m
              where (m ->> 'ef_search')::int <= describe_measurement.ef_search
              order by (m ->> 'ef_search')::int desc limit 1), '{"index_recall_10": null, "error_10": null}')
         || coalesce((
              select jsonb_build_object('index_recall_100', m -> 'index_recall_100', 'error_100', m -> 'error_100')
              from jsonb_array_elements(curve) m
              where (m ->> 'ef_search')::int <= describe_measurement.ef_search_100
              order by (m ->> 'ef_search')::int desc limit 1), '{"index_recall_100": null, "error_100": null}')
         || jsonb_build_object('widths', coalesce(
              (select jsonb_agg(m - '{missed,missed_error}'::text[] order by (m ->> 'ef_search')::int)
               from jsonb_array_elements(curve) m), '[]'))
  where describe_measurement.curve is not null;
$$;

comment on function braid_store.describe_measurement(jsonb, int, int, jsonb, int) is
  'Return the report of a measurement, as it is stored and shown; null without a curve. It tells when the '
  'measurement was made and with how many queries of each kind (own_counts: the counts of own_queries). It also has '
  'the index recall at the widths of searches for the 10 and the 100 nearest, and at each width of the curve.';
