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
    -- What is not an object is refused later, where filters are read.
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
  'Return a filter that also asks for occurred_at in one of these ranges; null ranges add nothing. Beside the single '
  'ranges it asks for the span of them all, because an index can find that.';
