create or replace function braid_store.explain_ranking_model(model jsonb, boost jsonb)
returns jsonb
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set extra_float_digits = 1
as $$
declare
  v_names text[] := array(select jsonb_array_elements_text(model -> 'features'));
  v_values float8[] := array(select (boost -> 'features' ->> n.name)::float8 from unnest(v_names)
    with ordinality n (name, place)
                             order by n.place);
  v_features jsonb;
  v_trees jsonb[] := '{}';
  v_tree jsonb;
  v_node int;
  v_feature int;
  v_threshold float8;
  v_path text[];
  v_leaf float8;
  v_sum text;
begin
  v_features := (
    select jsonb_agg(
             jsonb_build_object('feature', n.name, 'value', v_values[n.place])
             || case when model ? 'weights' then jsonb_build_object(
                       'weight', w.weight, 'contribution', w.weight * v_values[n.place]) else '{}' end
             order by n.place)
    from unnest(v_names) with ordinality n (name, place),
         lateral (select (model -> 'weights' ->> (n.place - 1)::int)::float8 as weight offset 0) w);
  v_sum := coalesce((model ->> 'intercept')::float8, 0)::text
           || coalesce((select string_agg(format(' + %s * %s', w.weight::float8, v_values[w.place]),
             '' order by w.place)
                        from jsonb_array_elements_text(model -> 'weights') with ordinality w (weight, place)), '');
  for v_tree in
    select t.value from jsonb_array_elements(model -> 'trees') with ordinality t order by t.ordinality
  loop
    v_node := case when v_tree -> 'feature' = '[]' then -1 else 0 end;
    v_path := '{}';
    while v_node >= 0 loop
      v_feature := 1 + (v_tree -> 'feature' ->> v_node)::float8::int;
      v_threshold := (v_tree -> 'threshold' ->> v_node)::float8;
      v_path := v_path || format('%s %s %s', v_names[v_feature], case when v_values[v_feature] <= v_threshold then '<='
        else '>' end,
                                 v_threshold);
      v_node := (v_tree -> case when v_values[v_feature] <= v_threshold then 'left'
        else 'right' end ->> v_node)::float8::int;
    end loop;
    v_leaf := (v_tree -> 'value' ->> -v_node - 1)::float8;
    v_trees := array_append(v_trees, jsonb_build_object('path', v_path, 'value', v_leaf));
    v_sum := v_sum || format(' + %s', v_leaf);
  end loop;
  return jsonb_build_object(
           'ranking_model', boost -> 'ranking_model', 'sum', boost -> 'value', 'score', boost -> 'score', 'intercept',
             coalesce(model -> 'intercept', '0'),
           'features', v_features, 'arithmetic', v_sum)
         || case when model ? 'trees' then jsonb_build_object('trees', to_jsonb(v_trees)) else '{}' end;
end
$$;

comment on function braid_store.explain_ranking_model(jsonb, jsonb) is
  E'Explain the score that a ranking model gave a candidate, as JSON.\n'
  'The object has each feature''s value, with weights also its summand, and the path through each tree and the value '
  'of its leaf. Its arithmetic gives the sum to the last bit. boost: the entry that rank_by_ranking_model put into '
  'boosts.';
