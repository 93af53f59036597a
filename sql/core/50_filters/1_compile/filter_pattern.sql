create or replace function braid_store.filter_pattern(key text, kind text, field text, operator text, operand jsonb)
returns text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_pattern text := filter_pattern.operand #>> '{}';
  v_before text := '';
  v_after text;
begin
  if filter_pattern.kind not in ('text', 'jsonb') or jsonb_typeof(filter_pattern.operand) <> 'string' then
    raise exception 'filters: % of key % needs a text to compare with, not %', filter_pattern.operator,
                    to_json(left(filter_pattern.key, 100)), left(filter_pattern.operand::text, 100)
      using errcode = '22023',
            hint = 'Write {"topic": {"$like": "%price%"}}, for a key that holds text; % stands for any characters, _ '
              'for one.';
  elsif mod(length(v_pattern) - length(rtrim(v_pattern, E'\\')), 2) = 1 then
    raise exception 'filters: % of key % ends in a single backslash: %', filter_pattern.operator,
                    to_json(left(filter_pattern.key, 100)), left(filter_pattern.operand::text, 100)
      using errcode = '22023', hint = 'A backslash escapes the next character. Write two backslashes to match one.';
  end if;
  if filter_pattern.operator = '$ilike' then
    v_before := 'braid_store.token_lower';
    v_pattern := braid_store.token_lower(v_pattern);
  end if;
  v_after := ' like ' || quote_literal(v_pattern);
  if filter_pattern.kind = 'text' then
    return v_before || '(' || filter_pattern.field || ')' || v_after;
  end if;
  return format('case jsonb_typeof(%1$s) when ''string'' then %2$s when ''array'' then exists (select '
                'from jsonb_array_elements(%1$s) e where jsonb_typeof(e.value) = ''string'' and %3$s) end',
                filter_pattern.field, v_before || '(' || filter_pattern.field || ' #>> ''{}'')' || v_after,
                v_before || '(e.value #>> ''{}'')' || v_after);
end
$$;

comment on function braid_store.filter_pattern(text, text, text, text, jsonb) is
  'Return the SQL condition for $like or $ilike of a key. In the pattern, % stands for any characters, _ for one, '
  'and a backslash takes the next character literally. If the value is a list, one element must match.';
