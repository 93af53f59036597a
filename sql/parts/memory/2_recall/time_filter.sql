create or replace function braid_store.time_filter(filters jsonb, ranges tstzmultirange)
returns jsonb
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select case
    when time_filter.ranges is null then time_filter.filters
    -- The filter's reader refuses a value that is no object.
    when jsonb_typeof(time_filter.filters) not in ('object', 'null') then time_filter.filters
    else jsonb_build_object('$and', (
      select to_jsonb(array_remove(array[nullif(nullif(time_filter.filters, 'null'), '{}'), h.hull, h.parts], null))
      from (
        select case when bool_and(not lower_inf(r)) or bool_and(not upper_inf(r)) then jsonb_build_object('occurred_at',
                 jsonb_strip_nulls(jsonb_build_object(
                   '$gte', case when bool_and(not lower_inf(r)) then min(lower(r)) end,
                   '$lt', case when bool_and(not upper_inf(r)) then max(upper(r)) end)))
                    else '{"occurred_at": {"$exists": true}}' end as hull,
               case when count(*) > 1 then jsonb_build_object('$or', jsonb_agg(jsonb_build_object('occurred_at',
                 jsonb_strip_nulls(jsonb_build_object('$gte', lower(r), '$lt', upper(r)))))) end as parts
        from unnest(time_filter.ranges) r
      ) h))
  end;
$$;

comment on function braid_store.time_filter(jsonb, tstzmultirange) is
  'Return a filter that also restricts occurred_at to the given ranges; null ranges add nothing. The filter also has '
  'the span of all ranges, because an index can find the span.';
