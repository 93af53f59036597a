create or replace function braid_store.filter_condition(key text, operator text, operand jsonb, tenant_id int,
                                                        collection_id int)
returns text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_kind text;
  v_field text;
  v_wrapper_open text := '';
  v_wrapper_close text := '';
  v_metadata_key text;
  v_test text;
  v_list text;
begin
  case filter_condition.operator
    when '$ne' then
      return format('(%s) is not true',
                    braid_store.filter_condition(filter_condition.key, '$eq', filter_condition.operand,
                                                 filter_condition.tenant_id, filter_condition.collection_id));
    when '$nin' then
      return format('(%s) is not true',
                    braid_store.filter_condition(filter_condition.key, '$in', filter_condition.operand,
                                                 filter_condition.tenant_id, filter_condition.collection_id));
    else
      null;
  end case;

  case
    when filter_condition.key in ('speaker', 'category', 'language') then
      v_kind := 'text';
      v_field := format('c.%I', filter_condition.key);
    when filter_condition.key = 'importance' then
      v_kind := 'float8';
      v_field := 'c.importance';
    when filter_condition.key = 'occurred_at' then
      v_kind := 'timestamptz';
      v_field := 'c.occurred_at';
    when filter_condition.key in ('external_id', 'source_uri') then
      v_kind := 'text';
      v_field := format('d.%I collate "C"', filter_condition.key);
      v_wrapper_open := format('c.document_id in (select d.id from braid_store.documents d '
                               'where d.tenant_id = %s and d.collection_id = %s and ',
                               filter_condition.tenant_id, filter_condition.collection_id);
      v_wrapper_close := ')';
    else
      v_kind := 'jsonb';
      v_metadata_key := regexp_replace(filter_condition.key, '^metadata\.', '');
      v_field := format('c.metadata -> %L', v_metadata_key);
      if position('.' in v_metadata_key) > 0 then
        v_field := format('coalesce(%s, c.metadata #> %L)', v_field, string_to_array(v_metadata_key, '.'));
      end if;
      v_field := '(' || v_field || ')';
  end case;

  case filter_condition.operator
    when '$exists' then
      if jsonb_typeof(filter_condition.operand) <> 'boolean' then
        raise exception 'filters: $exists of key % needs true or false, not %',
                        to_json(left(filter_condition.key, 100)), left(filter_condition.operand::text, 100)
          using errcode = '22023', hint = 'Write {"key": {"$exists": true}}.';
      end if;
      v_test := v_field || case v_kind when 'jsonb' then ' <> ''null''' else ' is not null' end;
      if filter_condition.operand = 'false' then
        v_test := format('(%s) is not true', v_test);
      end if;

    when '$eq' then
      if filter_condition.operand = 'null' then
        return braid_store.filter_condition(filter_condition.key, '$exists', 'false', filter_condition.tenant_id,
                                            filter_condition.collection_id);
      end if;
      -- jsonb "contains" is equality for scalars, and membership if the stored value is an array.
      v_test := format('%s %s %s', v_field, case v_kind when 'jsonb' then '@>' else '=' end,
                       braid_store.filter_literal(filter_condition.key, v_kind, filter_condition.operand));

    when '$in' then
      if jsonb_typeof(filter_condition.operand) <> 'array' then
        raise exception 'filters: $in or $nin of key % needs an array, not %',
                        to_json(left(filter_condition.key, 100)), left(filter_condition.operand::text, 100)
          using errcode = '22023', hint = 'Write {"key": {"$in": ["a", "b"]}}; for one value {"key": "a"}.';
      end if;
      select format('array[%s]::%s[]', string_agg(braid_store.filter_literal(filter_condition.key, v_kind, e.value), ', '),
                    v_kind)
      into v_list
      from jsonb_array_elements(filter_condition.operand) e
      where e.value <> 'null';
      v_test := format('%s = any (%s)', v_field, v_list);
      if v_kind = 'jsonb' then
        -- Hashed for scalars; the slower "contains any" only where an array is stored.
        v_test := format('(%s or jsonb_typeof(%s) = ''array'' and %s @> any (%s))', v_test, v_field, v_field, v_list);
      end if;
      v_test := v_wrapper_open || v_test || v_wrapper_close;
      if filter_condition.operand @> 'null' then
        v_test := format('(%s or %s)', v_test,
                         braid_store.filter_condition(filter_condition.key, '$exists', 'false',
                                                      filter_condition.tenant_id, filter_condition.collection_id));
      end if;
      return v_test;

    else -- a range
      v_test := case filter_condition.operator when '$gt' then '>' when '$gte' then '>='
                                               when '$lt' then '<' when '$lte' then '<=' end;
      if jsonb_typeof(filter_condition.operand) not in ('number', 'string') then
        raise exception 'filters: % of key % needs a number or a string, not %', filter_condition.operator,
                        to_json(left(filter_condition.key, 100)), left(filter_condition.operand::text, 100)
          using errcode = '22023', hint = 'Ranges compare numbers, strings and timestamps; use $eq for other values.';
      elsif v_kind <> 'jsonb' then
        v_test := format('%s %s %s', v_field, v_test,
                         braid_store.filter_literal(filter_condition.key, v_kind, filter_condition.operand));
      elsif jsonb_typeof(filter_condition.operand) = 'number' then
        v_test := format('(jsonb_typeof(%s) = ''number'' and %s %s %L::jsonb)',
                         v_field, v_field, v_test, filter_condition.operand);
      else
        v_test := format('(jsonb_typeof(%s) = ''string'' and (%s #>> ''{}'') collate "C" %s %L)',
                         v_field, v_field, v_test, filter_condition.operand #>> '{}');
      end if;
  end case;
  return v_wrapper_open || v_test || v_wrapper_close;
end
$$;
comment on function braid_store.filter_condition(text, text, jsonb, int, int) is
  'The condition for one key, operator and operand of a filter; filter_predicate says what they mean.';
