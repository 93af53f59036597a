create or replace function braid_store.filter_key(key text, operand jsonb, tenant_id int, collection_id int, depth int,
                                                  inout conditions int, out predicate text)
returns record
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  -- filter_group allows the same number of conditions.
  c_max_conditions constant int := 1000;
  c_operators_hint constant text := 'Operators of a key: $eq, $ne, $gt, $gte, $lt, $lte, $between, $in, $nin, $all, '
    '$like, $ilike, '
                                    '$exists, $not. Around filters: $and, $or, $not.';
  v_bounds jsonb := '{}';
  v_operator text;
  v_value jsonb;
  v_part text;
  v_terms text[] := '{}';
begin
  if filter_key.key ^@ '$' then
    raise exception 'filters: unknown operator %', to_json(left(filter_key.key, 100))
      using errcode = '22023',
            hint = c_operators_hint || ' Write a metadata key that begins with $ as "metadata.$key".';
  end if;

  if jsonb_typeof(filter_key.operand) <> 'object' then
    predicate := braid_store.filter_condition(filter_key.key, '$eq', filter_key.operand, filter_key.tenant_id,
                                              filter_key.collection_id);
    return;
  end if;

  if filter_key.operand = '{}' then
    raise exception 'filters: key % has an empty object for a condition', to_json(left(filter_key.key, 100))
      using errcode = '22023', hint = c_operators_hint;
  end if;
  for v_operator, v_value in select e.key, e.value from jsonb_each(filter_key.operand) e loop
    if v_operator = '$not' then
      if jsonb_typeof(v_value) <> 'object' then
        raise exception 'filters: $not of key % needs an object of operators, not %',
                        to_json(left(filter_key.key, 100)), left(v_value::text, 100)
          using errcode = '22023', hint = 'Write {"year": {"$not": {"$gt": 2020}}}, or $ne for one value.';
      end if;
      select g.conditions, format('(%s) is not true', g.predicate) into conditions, v_part
      from braid_store.filter_group(jsonb_build_object(filter_key.key, v_value), filter_key.tenant_id,
                                    filter_key.collection_id, filter_key.depth, conditions) g;
    elsif v_operator in ('$gt', '$gte', '$lt', '$lte') then
      -- The bounds form one condition, because a single element of a list must be within all of them.
      v_bounds := v_bounds || jsonb_build_object(v_operator, v_value);
      continue;
    elsif v_operator in ('$eq', '$ne', '$in', '$nin', '$exists', '$like', '$ilike') then
      v_part := braid_store.filter_condition(filter_key.key, v_operator, v_value, filter_key.tenant_id,
                                             filter_key.collection_id);
    elsif v_operator = '$between' then
      if jsonb_typeof(v_value) <> 'array' or jsonb_array_length(v_value) <> 2 then
        raise exception 'filters: $between of key % needs the least and the greatest value, not %',
                        to_json(left(filter_key.key, 100)), left(v_value::text, 100)
          using errcode = '22023', hint = 'Write {"year": {"$between": [2020, 2024]}}; both values are included.';
      end if;
      v_part := braid_store.filter_condition(
        filter_key.key, '$between', jsonb_build_object('$gte', v_value -> 0, '$lte', v_value -> 1),
          filter_key.tenant_id,
        filter_key.collection_id);
    elsif v_operator = '$all' then
      if jsonb_typeof(v_value) <> 'array' then
        raise exception 'filters: $all of key % needs an array, not %', to_json(left(filter_key.key, 100)),
          left(v_value::text, 100)
          using errcode = '22023', hint = 'Write {"tags": {"$all": ["a", "b"]}}, or {"tags": "a"} for one value.';
      end if;
      conditions := conditions + jsonb_array_length(v_value);
      if conditions > c_max_conditions then
        raise exception 'filters have more than % conditions (at key %)', c_max_conditions,
          to_json(left(filter_key.key, 100))
          using errcode = '22023', hint = 'Use fewer values: each value of $all counts as one condition.';
      end if;
      v_part := coalesce((
        select '(' || string_agg(braid_store.filter_condition(filter_key.key, '$eq', e.value, filter_key.tenant_id,
                                                              filter_key.collection_id), ' and ') || ')'
        from jsonb_array_elements(v_value) e), 'false');
    else
      raise exception 'filters: key % has the unknown operator %',
                      to_json(left(filter_key.key, 100)), to_json(left(v_operator, 100))
        using errcode = '22023',
              hint = case
                when v_operator in ('$contains', '$any', '$elemMatch', '$has', '$overlap', '$match')
                  then 'A list matches if one of its elements does: write {"tags": "a"}, {"tags": {"$in": ["a", '
                    '"b"]}} for any of '
                       'them, {"tags": {"$all": ["a", "b"]}} for all, {"items.sku": "x"} for objects in a list, and '
                       '{"topic": {"$like": "%price%"}} for a part of a text. '
                when v_operator in ('$not_contains', '$notcontains', '$nor', '$neq', '$notin', '$not_in', '$nlike',
                  '$notlike')
                  then 'Write {"tags": {"$ne": "a"}}, {"tags": {"$nin": ["a", "b"]}}, or '
                       '{"topic": {"$not": {"$like": "%price%"}}}. '
                when v_operator in ('$regex', '$options', '$text', '$search', '$startswith', '$endswith', '$startsWith',
                  '$endsWith',
                                    '$text_match', '$fuzzy')
                  then 'Write {"topic": {"$like": "price%"}}, where % stands for any characters; $ilike ignores '
                       'case. Filters do not match the text of chunks: put its words into query_text. '
                else ''
              end || c_operators_hint || ' For a nested metadata key write a dotted path: {"a.b": 1}.';
    end if;
    v_terms := v_terms || v_part;
  end loop;
  if v_bounds <> '{}' then
    v_terms := v_terms || braid_store.filter_condition(filter_key.key, '$range', v_bounds, filter_key.tenant_id,
                                                       filter_key.collection_id);
  end if;
  predicate := array_to_string(v_terms, ' and ');
end
$$;
comment on function braid_store.filter_key(text, jsonb, int, int, int, int) is
  'Return the SQL condition for one key of a filter: the conditions of its operators, joined by "and". conditions '
  'counts the conditions compiled so far.';
