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
  c_operators_hint constant text := 'Operators of a key: $eq, $ne, $gt, $gte, $lt, $lte, $in, $nin, $exists, $not. '
                                    'Around filters: $and, $or, $not.';
  v_operator text;
  v_value jsonb;
  v_part text;
  v_terms text[] := '{}';
begin
  if filter_key.key ^@ '$' then
    raise exception 'filters: unknown operator %', to_json(left(filter_key.key, 100))
      using errcode = '22023',
            hint = c_operators_hint || ' A metadata key that begins with $ is written "metadata.$key".';
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
    elsif v_operator in ('$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$in', '$nin', '$exists') then
      v_part := braid_store.filter_condition(filter_key.key, v_operator, v_value, filter_key.tenant_id,
                                             filter_key.collection_id);
    else
      raise exception 'filters: key % has the unknown operator %',
                      to_json(left(filter_key.key, 100)), to_json(left(v_operator, 100))
        using errcode = '22023',
              hint = c_operators_hint || ' For a nested metadata key write a dotted path: {"a.b": 1}.';
    end if;
    v_terms := v_terms || v_part;
  end loop;
  predicate := array_to_string(v_terms, ' and ');
end
$$;
comment on function braid_store.filter_key(text, jsonb, int, int, int, int) is
  'Returns the SQL condition for one key of a filter: the conditions of its operators, joined by "and". conditions '
  'counts the conditions compiled so far.';
