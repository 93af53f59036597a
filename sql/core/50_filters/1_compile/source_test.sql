create or replace function braid_store.source_test(
  key text,
  type text,
  field text,
  operators jsonb,
  out operands text,
  out condition text
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_operands jsonb := case
    when operators ? '$eq' then jsonb_build_object('$eq', jsonb_build_array(operators -> '$eq'))
    when operators ? '$in' then operators
    else (select jsonb_object_agg(o.key, jsonb_build_array(braid_store.filter_bound(source_test.type, o.key, o.value)))
          from jsonb_each(operators) o)
  end;
  v_is_range boolean := not operators ?| '{$eq,$in}';
begin
  -- Null would match missing values, which are in no index. An operand of another type would match values that are not
  -- in this index.
  if v_operands is null or exists (
       select from jsonb_each(v_operands) o, jsonb_array_elements(o.value) e
       where e.value = 'null'
          or source_test.type ^@ 'attribute'
             and jsonb_typeof(e.value) <> case source_test.type when 'attribute number' then 'number' else 'string' end)
               then
    return;
  end if;

  if v_is_range then
    operands := '';
    condition := (
      select string_agg(format('%s %s %s', source_test.field, case when o.key in ('$gt', '$gte') then '>='
        else '<=' end,
                               case
                                 -- The bound is converted in the query, because the text of a double precision number
                                 -- depends on a setting of the session.
                                 when source_test.type = 'attribute number'
                                 then format('braid_store.attribute_number(%L)', o.value ->> 0)
                                 when source_test.type ^@ 'attribute' then format('%L', left(o.value ->> 0, 200))
                                 else braid_store.filter_literal(source_test.key, source_test.type, o.value -> 0)
                               end), ' and ')
      from jsonb_each(v_operands) o);
  elsif source_test.type = 'timestamptz' then
    -- A date is a day, so its range ends with the next midnight.
    v_operands := coalesce(v_operands -> '$eq', v_operands -> '$in');
    operands := format(
      '(select distinct v.value, v.last from unnest(%L::timestamptz[], %L::timestamptz[]) v (value, last)) u,',
      array(select e.value #>> '{}' from jsonb_array_elements(v_operands) e)::text,
      array(select braid_store.filter_bound('timestamptz', '$lte', e.value) #>> '{}'
            from jsonb_array_elements(v_operands) e)::text);
    condition := format('%1$s >= u.value and %1$s <= u.last', source_test.field);
  else
    operands := format(
      '(select distinct %s as value from unnest(%L::%s[]) v (value)) u,',
      case when source_test.type = 'attribute number' then 'braid_store.attribute_number(v.value)'
           when source_test.type ^@ 'attribute' then 'left(v.value, 200)' else 'v.value' end,
      array(select jsonb_array_elements_text(coalesce(v_operands -> '$eq', v_operands -> '$in')))::text,
      case source_test.type when 'attribute number' then 'numeric' else 'text' end);
    -- With "=", the field would be a constant, and the index would give no order by it.
    condition := format('%1$s >= u.value and %1$s <= u.value', source_test.field);
  end if;
end
$$;

comment on function braid_store.source_test(text, text, text, jsonb) is
  'Return a weaker condition on an indexed field, which is true wherever the operators of a key are all true. An '
  'index finds the chunks that meet it; the caller tests them with the filter. operators comes from '
  'indexable_operators. condition: null if there is none. operands: for listed values, a FROM item with a comma that '
  'gives them as u.value; else empty. Bounds are included, because the index holds shortened and rounded values.';
