create or replace function braid_store.filter_group(filters jsonb, tenant_id int, collection_id int, depth int,
                                                    inout conditions int, out predicate text)
returns record
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_max_depth constant int := 32;
  c_max_conditions constant int := 1000;
  v_key text;
  v_value jsonb;
  v_member jsonb;
  v_part text;
  v_parts text[];
  v_terms text[] := '{}';
begin
  if filter_group.depth > c_max_depth then
    raise exception 'filters are nested more than % deep', c_max_depth
      using errcode = '22023', hint = 'Merge nested $and: conditions in one object are combined with AND already.';
  end if;

  for v_key, v_value in select e.key, e.value from jsonb_each(filter_group.filters) e loop
    conditions := conditions + 1;
    if conditions > c_max_conditions then
      raise exception 'filters have more than % conditions (at key %)', c_max_conditions, to_json(left(v_key, 100))
        using errcode = '22023', hint = 'To compare one key with many values use {"key": {"$in": [...]}}.';
    end if;

    if v_key in ('$and', '$or') then
      if jsonb_typeof(v_value) <> 'array' or v_value = '[]' then
        raise exception '% in filters needs a non-empty array of filters, not %', v_key, left(v_value::text, 100)
          using errcode = '22023', hint = format('Write {"%s": [{"speaker": "Ana"}, {"year": 2024}]}.', v_key);
      end if;
      v_parts := '{}';
      for v_member in select e.value from jsonb_array_elements(v_value) e loop
        if jsonb_typeof(v_member) <> 'object' then
          raise exception '% in filters holds %, which is not a filter', v_key, left(v_member::text, 100)
            using errcode = '22023', hint = format('Write {"%s": [{"speaker": "Ana"}, {"year": 2024}]}.', v_key);
        end if;
        select g.conditions, g.predicate into conditions, v_part
        from braid_store.filter_group(v_member, filter_group.tenant_id, filter_group.collection_id,
                                      filter_group.depth + 1, conditions) g;
        v_parts := v_parts || v_part;
      end loop;
      v_terms := v_terms || format('(%s)', array_to_string(v_parts, case v_key when '$and' then ' and '
                                                                               else ' or ' end));
    elsif v_key = '$not' then
      if jsonb_typeof(v_value) <> 'object' then
        raise exception '$not in filters needs a filter, not %', left(v_value::text, 100)
          using errcode = '22023', hint = 'Write {"$not": {"speaker": "Ana"}}.';
      end if;
      select g.conditions, g.predicate into conditions, v_part
      from braid_store.filter_group(v_value, filter_group.tenant_id, filter_group.collection_id,
                                    filter_group.depth + 1, conditions) g;
      -- A condition on a missing key is null. This matters only here and in $ne and $nin; under "and" and "or", null is
      -- a non-match.
      v_terms := v_terms || format('(%s) is not true', v_part);
    elsif v_key ^@ '$' then
      v_member := braid_store.extend_filter_operator(v_key, v_value, filter_group.collection_id);
      if v_member = '{}' then
        -- This raises an error for an unknown operator.
        perform braid_store.filter_key(v_key, v_value, filter_group.tenant_id, filter_group.collection_id,
                                       filter_group.depth + 1, conditions);
      end if;
      select g.conditions, g.predicate into conditions, v_part
      from braid_store.filter_group(v_member, filter_group.tenant_id, filter_group.collection_id,
                                    filter_group.depth + 1, conditions) g;
      v_terms := v_terms || format('(%s)', v_part);
    else
      select g.conditions, g.predicate into conditions, v_part
      from braid_store.filter_key(v_key, v_value, filter_group.tenant_id, filter_group.collection_id,
                                  filter_group.depth + 1, conditions) g;
      v_terms := v_terms || v_part;
    end if;
  end loop;

  predicate := coalesce(nullif(array_to_string(v_terms, ' and '), ''), 'true');
end
$$;
comment on function braid_store.filter_group(jsonb, int, int, int, int) is
  'Return the SQL condition for one object of a filter, and call itself for the objects inside. conditions counts '
  'the conditions compiled so far, and depth is the level of nesting. Both are limited.';
