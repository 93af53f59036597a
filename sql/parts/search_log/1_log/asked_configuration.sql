create or replace function braid_store.asked_configuration(asked jsonb, keeps_values boolean)
returns jsonb
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_most_bytes constant int := 2000;
  v_options jsonb;
  v_configuration jsonb := jsonb_strip_nulls(asked - '{query_text,match_count,filters,options}'::text[]);
begin
  if asked ->> 'match' = 'any' then
    v_configuration := v_configuration - 'match';
  end if;
  if jsonb_typeof(asked -> 'options') = 'object' then
    -- For options with values specific to one search, only record that they were given.
    select jsonb_object_agg(o.key, case
             when o.key in ('sparse', 'late_interaction', 'profile') and jsonb_typeof(o.value) <> 'boolean'
                  or o.key = 'boosts' and not keeps_values then 'true'
             else o.value end)
    into v_options
    from jsonb_each(asked -> 'options') o
    where o.key not in ('cursor', 'explain', 'snippet') and o.value <> 'null';
    if v_options is not null then
      v_configuration := v_configuration || jsonb_build_object('options', v_options);
    end if;
  end if;
  if octet_length(v_configuration::text) > c_most_bytes then
    -- The option ranking tells trials of rankings apart.
    v_configuration := '{"too_long": true}'
      || case when octet_length((v_options -> 'ranking')::text) <= c_most_bytes
              then jsonb_build_object('options', jsonb_build_object('ranking', v_options -> 'ranking')) else '{}' end;
  end if;
  return v_configuration;
end
$$;

comment on function braid_store.asked_configuration(jsonb, boolean) is
  'Return the arguments in which a search differs from its collection''s settings, as the search log keeps them. '
  'asked has the arguments of the search. keeps_values: whether boosts, which may name users, are kept.';
