create or replace function braid_store.ranking_model_expression(model jsonb)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  -- These are the places of the model's features among all features.
  v_places int[] := array(
    select array_position(braid_store.known_ranking_features(), f.name)
    from jsonb_array_elements_text(model -> 'features') with ordinality f (name, place)
    order by f.place);
  v_sum text := format('%L::float8', coalesce(model ->> 'intercept', '0'))
                || coalesce((
                  select string_agg(format(' + %L::float8 * f.features[%s]', w.weight, v_places[w.place]),
                    '' order by w.place)
                  from jsonb_array_elements_text(model -> 'weights') with ordinality w (weight, place)), '');
  v_tree jsonb;
  v_features int[];
  v_thresholds text[];
  v_left int[];
  v_right int[];
  -- These hold the SQL of the leaves and of the nodes.
  v_leaves text[];
  v_nodes text[];
begin
  for v_tree in
    select t.value from jsonb_array_elements(model -> 'trees') with ordinality t order by t.ordinality
  loop
    select array_agg(n.feature::float8::int order by n.place), array_agg(n.threshold order by n.place),
           array_agg(n.left_child::float8::int order by n.place), array_agg(n.right_child::float8::int order by n.place)
    into v_features, v_thresholds, v_left, v_right
    from rows from (
           jsonb_array_elements_text(v_tree -> 'feature'), jsonb_array_elements_text(v_tree -> 'threshold'),
           jsonb_array_elements_text(v_tree -> 'left'), jsonb_array_elements_text(v_tree -> 'right')
         ) with ordinality n (feature, threshold, left_child, right_child, place);
    v_leaves := array(
      select format('%L::float8', l.value)
      from jsonb_array_elements_text(v_tree -> 'value') with ordinality l (value, place) order by l.place);
    v_nodes := '{}';
    -- Nodes precede their children, so build them from the last one.
    for v_node in reverse coalesce(cardinality(v_features), 0)..1 loop
      v_nodes[v_node] := format(
        'case when f.features[%s] <= %L::float8 then %s else %s end', v_places[v_features[v_node] + 1],
          v_thresholds[v_node],
        case when v_left[v_node] < 0 then v_leaves[-v_left[v_node]] else v_nodes[v_left[v_node] + 1] end,
        case when v_right[v_node] < 0 then v_leaves[-v_right[v_node]] else v_nodes[v_right[v_node] + 1] end);
    end loop;
    v_sum := v_sum || ' + ' || coalesce(v_nodes[1], v_leaves[1]);
  end loop;
  return v_sum;
end
$$;

comment on function braid_store.ranking_model_expression(jsonb) is
  'Return the sum of a ranking model as an SQL expression on f.features, the features of candidate_features. The sum '
  'is intercept + weight × feature … + the leaf of each tree, added in this order. The model has passed '
  'check_ranking_model.';
