create or replace function braid_store.asked_configuration(
  full_text_weight float8,
  semantic_weight float8,
  fusion text,
  rrf_k float8,
  candidate_count int,
  min_score float8,
  match text,
  options jsonb,
  keeps_values boolean
)
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
  v_configuration jsonb := '{}';
begin
  if num_nonnulls(full_text_weight, semantic_weight, fusion, rrf_k, candidate_count, min_score) > 0 or match <> 'any' then
    v_configuration := jsonb_strip_nulls(jsonb_build_object(
      'full_text_weight', full_text_weight, 'semantic_weight', semantic_weight, 'fusion', fusion, 'rrf_k', rrf_k,
      'candidate_count', candidate_count, 'min_score', min_score, 'match', nullif(match, 'any')));
  end if;
  if jsonb_typeof(options) = 'object' then
    -- What each search has a value of its own for is only told to be there.
    select jsonb_object_agg(o.key, case
             when o.key in ('sparse', 'late_interaction', 'profile') and jsonb_typeof(o.value) <> 'boolean'
                  or o.key = 'boosts' and not keeps_values then 'true'
             else o.value end)
    into v_options
    from jsonb_each(options) o
    where o.key not in ('cursor', 'explain', 'snippet') and o.value <> 'null';
    if v_options is not null then
      v_configuration := v_configuration || jsonb_build_object('options', v_options);
    end if;
  end if;
  if octet_length(v_configuration::text) > c_most_bytes then
    -- Trials of a ranking are told apart by it.
    v_configuration := '{"too_long": true}'
      || case when octet_length((v_options -> 'ranking')::text) <= c_most_bytes
              then jsonb_build_object('options', jsonb_build_object('ranking', v_options -> 'ranking')) else '{}' end;
  end if;
  return v_configuration;
end
$$;

comment on function braid_store.asked_configuration(float8, float8, text, float8, int, float8, text, jsonb, boolean) is
  'Returns what a search asked for that its collection''s settings do not say, as the search log keeps it. keeps_values: whether '
  'boosts, which may name users, are kept.';
