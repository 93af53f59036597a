create or replace function braid_store.filter_range(key text, kind text, field text, bounds jsonb)
returns text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_operator text;
  v_operand jsonb;
  v_bound jsonb;
  v_sign text;
  v_types text[] := '{}';
  v_tests text[] := '{}';
  v_steps text[] := '{}';
  v_variables jsonb := '{}';
begin
  for v_operator, v_operand in select b.key, b.value from jsonb_each(filter_range.bounds) b loop
    if jsonb_typeof(v_operand) not in ('number', 'string') then
      raise exception 'filters: % of key % needs a number or a string, not %', v_operator,
                      to_json(left(filter_range.key, 100)), left(v_operand::text, 100)
        using errcode = '22023', hint = 'Ranges compare numbers, strings and timestamps; use $eq for other values.';
    end if;
    v_bound := braid_store.filter_bound(filter_range.kind, v_operator, v_operand);
    v_sign := case
      when v_bound <> v_operand then case v_operator when '$gt' then '>=' else '<' end
      else case v_operator when '$gt' then '>' when '$gte' then '>=' when '$lt' then '<' else '<=' end
    end;
    v_types := v_types || jsonb_typeof(v_operand);
    v_tests := v_tests || case
      when filter_range.kind <> 'jsonb' then
        format('%s %s %s', filter_range.field, v_sign, braid_store.filter_literal(filter_range.key, filter_range.kind,
          v_bound))
      when jsonb_typeof(v_operand) = 'number' then format('%s %s %L::jsonb', filter_range.field, v_sign, v_operand)
      else format('(%s #>> ''{}'') collate "C" %s %L', filter_range.field, v_sign, v_operand #>> '{}')
    end;
    v_steps := v_steps || format('@ %s $%s', v_sign, ltrim(v_operator, '$'));
    v_variables := v_variables || jsonb_build_object(ltrim(v_operator, '$'), v_operand);
  end loop;
  if filter_range.kind <> 'jsonb' then
    return format('(%s)', array_to_string(v_tests, ' and '));
  elsif v_types[1] <> any (v_types) then
    return 'false';
  end if;
  return format('case jsonb_typeof(%s) when %L then %s when ''array'' then jsonb_path_exists(%s, %L, %L) end',
                filter_range.field, v_types[1], array_to_string(v_tests, ' and '), filter_range.field,
                format('strict $[*] ? (%s)', array_to_string(v_steps, ' && ')), v_variables);
end
$$;

comment on function braid_store.filter_range(text, text, text, jsonb) is
  'Return the SQL condition that a key of a filter is within bounds: {"$gt": 1, "$lte": 5}. If the value is a list, '
  'one element must be within all bounds.';
