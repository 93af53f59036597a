create or replace function braid_store.compile_statistics(
  aggregation braid_store.aggregation,
  given jsonb,
  number int,
  source text,
  type text,
  element text,
  instant text
)
returns braid_store.aggregation
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_max_percentiles constant int := 20;
  v_percentiles jsonb := given -> 'percentiles';
  v_is_time boolean := type = 'time';
  v_format text := case when v_is_time then instant else 'trim_scale((%s)::numeric)' end;
  v_all text := case when v_percentiles is null then ''
    else ', array_agg(%1$s order by %1$s) filter (where %1$s is not null) as all_values' end;
  v_computed text := case when v_is_time then instant else 'braid_store.computed_number((%s)::numeric)' end;
  v_sum text := case when v_is_time then 'sum(extract(epoch from %1$s))' else 'sum(%1$s)' end;
begin
  if v_percentiles is not null
     and (jsonb_typeof(v_percentiles) <> 'array' or jsonb_array_length(v_percentiles)
            not between 1 and c_max_percentiles
          or exists (select from jsonb_array_elements(v_percentiles) e
                     where not braid_store.is_number(e.value, 0, 100))) then
    perform braid_store.aggregation_error(aggregation.name, 'percentiles', v_percentiles,
      format('Give an array of 1 to %s numbers from 0 to 100, such as [50, 95].', c_max_percentiles));
  end if;
  aggregation.tables := aggregation.tables || format($query$
    o%1$s as (
      select count(m.one%1$s) as n, min(m.one%1$s) as low, max(m.one%1$s) as high, %3$s as total,
             count(*) filter (where m.one%1$s is null and m.many%1$s is null) as missing,
             array_agg(m.many%1$s) filter (where m.many%1$s is not null) as lists %4$s
      from %2$s m
    ),
    e%1$s as (
      select count(v.value) as n, min(v.value) as low, max(v.value) as high, %5$s as total,
             count(*) filter (where v.value is null) as missing %6$s
      from o%1$s o, unnest(o.lists) l (list)
      left join lateral (
        select distinct %7$s as value from jsonb_array_elements(l.list) e where %7$s is not null
      ) v on true
    ),
    s%1$s as (
      select o.n + e.n as n, least(o.low, e.low) as low, greatest(o.high, e.high) as high,
             coalesce(o.total, 0) + coalesce(e.total, 0) as total, o.missing + e.missing as missing %8$s
      from o%1$s o, e%1$s e
    ),
    $query$, number, source, format(v_sum, format('m.one%s', number)), format(v_all, format('m.one%s', number)),
    format(v_sum, 'v.value'), format(v_all, 'v.value'), element,
    case when v_percentiles is null then ''
         else ', case when e.all_values is null then o.all_values
              else array(select v from unnest(o.all_values || e.all_values) v order by v) end as all_values' end);
  aggregation.rows := format($query$
    select 1 as place,
           jsonb_build_object('min', %2$s, 'max', %3$s, 'avg', case when s.n > 0 then %4$s end %5$s) %6$s as value,
           s.n as count
    from s%1$s s
    union all
    select 9223372036854775807, null, s.missing from s%1$s s where s.missing > 0
    $query$, number, format(v_format, 's.low'), format(v_format, 's.high'),
    format(v_computed, case when v_is_time then 'to_timestamp((s.total / s.n)::float8)' else 's.total / s.n' end),
    case when v_is_time then ''
         else format(', ''sum'', case when s.n > 0 then %s end', format(v_computed, 's.total')) end,
    case when v_percentiles is null then '' else format($query$
      || jsonb_build_object('percentiles', (
        select jsonb_object_agg(p.name, case when s.n > 0 then %1$s end)
        from (
          select trim_scale(p.value::text::numeric)::text as name, (s.n - 1) * p.value::text::numeric / 100 as place
          from jsonb_array_elements(%2$L::jsonb) p
        ) p,
        lateral (
          select s.all_values[floor(p.place)::int + 1] as low, s.all_values[ceil(p.place)::int + 1] as high,
                 p.place - floor(p.place) as share
        ) q))
      $query$,
      case when v_is_time
           then format(instant, 'q.low + make_interval(secs => (extract(epoch from q.high - q.low) * q.share)::float8)')
           -- A value itself keeps all of its digits.
           else format('case when q.low = q.high then %s else %s end', format(v_format, 'q.low'),
                       format(v_computed, 'q.low + (q.high - q.low) * q.share')) end, v_percentiles) end);
  return aggregation;
end
$$;

comment on function braid_store.compile_statistics(braid_store.aggregation, jsonb, int, text, text, text, text) is
  'Complete an aggregation that gives least, greatest and mean values, sums and percentiles. source: the table of '
  'values. element: the expression for the value of an element e of a list. instant: the format of a time in JSON. A '
  'percentile between two values is interpolated.';
