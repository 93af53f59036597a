create or replace function braid_store.boost_expressions(
  boosts braid_store.boost[],
  out sources text,
  out parts text,
  out sum text,
  out reports text
)
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select string_agg(format('%s as value%s', b.source, b.place), ', ' order by b.place),
         string_agg(case when b.is_additive then format('coalesce(%L::float8 * v.value%s, 0) as part%2$s', b.weight,
           b.place)
                         else format('case when v.value%2$s is null then 1 '
                                     'else greatest((1 - %1$L::float8) + %1$L::float8 * v.value%2$s, 0) end as '
                                       'part%2$s',
                                     b.weight, b.place) end, ', ' order by b.place),
         coalesce(string_agg(format(' * p.part%s', b.place), '' order by b.place) filter (where not b.is_additive), '')
         || coalesce(string_agg(format(' + p.part%s', b.place), '' order by b.place) filter (where b.is_additive), ''),
         string_agg(format('jsonb_build_object(''signal'', %L, ''value'', v.value%s, %L, p.part%2$s)', b.label, b.place,
                           case when b.is_additive then 'addend' else 'factor' end), ', ' order by b.place)
  from unnest(boost_expressions.boosts) with ordinality b (label, source, is_additive, weight, place);
$$;

comment on function braid_store.boost_expressions(braid_store.boost[]) is
  'Return boosts as SQL. sources selects the values of the signals from braid_store.chunks c. parts computes the '
  'factors and addends from these values, v. sum follows the fused score and uses these parts, p. reports makes an '
  'object for each boost from v and p.';
