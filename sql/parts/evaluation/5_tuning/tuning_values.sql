create or replace function braid_store.tuning_values(search_space jsonb, configuration jsonb, ranking jsonb)
returns jsonb
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(jsonb_object_agg(s.key, s.others), '{}')
  from (
    select s.key, jsonb_agg(v.value order by v.place) as others
    from jsonb_each(coalesce(search_space, (
           select jsonb_object_agg(k.name, k.default_values)
           from braid_store.known_tuning_keys() k
           where k.default_values is not null and coalesce(configuration ->> 'mode', 'hybrid') = any (k.modes)
             and coalesce(nullif(configuration -> k.argument, 'null'), nullif(configuration -> 'options' -> k.argument,
               'null')) is null
             and (k.name not in ('full_text_weight', 'semantic_weight', 'sparse_weight')
                  or braid_store.keeps_weights(ranking ->> 'fusion', configuration ->> 'fusion'))))) s,
         jsonb_array_elements(s.value) with ordinality v (value, place)
    where case when ranking ? s.key then v.value <> ranking -> s.key else v.value <> (case s.key when 'boosts' then '[]'
      else 'null' end)::jsonb end
    group by s.key
  ) s;
$$;

comment on function braid_store.tuning_values(jsonb, jsonb, jsonb) is
  'Return the values of a search space that differ from the present ranking, as an object of lists. Without a search '
  'space, return the default values for the configuration''s mode.';
