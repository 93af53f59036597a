create or replace function braid_store.timed_filters(filters jsonb, depth int)
returns jsonb
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_max_depth constant int := 32; -- Deeper filters are refused later.
begin
  if filters ? '$as_of' or jsonb_typeof(filters) <> 'object' or depth > c_max_depth then
    return filters;
  elsif not filters @? '$.**."$as_of"' then
    return filters || '{"$as_of": "now"}';
  end if;
  return (
    select jsonb_object_agg(e.key, case
      when e.key = '$and' and jsonb_typeof(e.value) = 'array' and e.value @? '$.**."$as_of"' then (
        select jsonb_agg(case when m.value @? '$.**."$as_of"' then braid_store.timed_filters(m.value, depth + 1)
                              else m.value end order by m.ordinality)
        from jsonb_array_elements(e.value) with ordinality m)
      when e.key = '$or' and jsonb_typeof(e.value) = 'array' and e.value @? '$.**."$as_of"' then (
        -- A time is several conditions, so all alternatives without one share it.
        select coalesce(jsonb_agg(braid_store.timed_filters(m.value, depth + 1) order by m.ordinality)
                        filter (where not m.is_timeless), '[]')
               || case when bool_or(m.is_timeless)
                       then jsonb_build_object('$as_of', 'now', '$or', jsonb_agg(m.value order by m.ordinality)
                                                                       filter (where m.is_timeless))
                       else '[]' end
        from (
          select m.value, m.ordinality,
                 jsonb_typeof(m.value) = 'object' and not m.value @? '$.**."$as_of"' as is_timeless
          from jsonb_array_elements(e.value) with ordinality m
        ) m)
      else e.value end)
    from jsonb_each(filters) e);
end
$$;

comment on function braid_store.timed_filters(jsonb, int) is
  'Return filters that ask for what is valid now, unless they say another time ($as_of). An alternative ($or) '
  'without a time asks for what is valid now. depth: how deep the filters are nested, from 1.';
