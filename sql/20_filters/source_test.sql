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
  v_operands jsonb;
  v_is_range boolean := not operators ?| '{$eq,$in}';
begin
  -- Never $eq and $in together: different elements of an array may match them. A range only matches scalars.
  v_operands := case
    when operators ? '$eq' then jsonb_build_object('$eq', jsonb_build_array(operators -> '$eq'))
    when operators ? '$in' then jsonb_build_object('$in', operators -> '$in')
    else (select jsonb_object_agg(o.key, jsonb_build_array(o.value)) from jsonb_each(operators) o
          where o.key in ('$gt', '$gte', '$lt', '$lte')
            and (not source_test.type ^@ 'attribute'
                 or jsonb_typeof(o.value) = case source_test.type when 'attribute number' then 'number' else 'string' end))
  end;
  -- Null matches what is missing, which no index has; operands of other types match values that this one has not.
  if v_operands is null or exists (
       select from jsonb_each(v_operands) o, jsonb_array_elements(o.value) e
       where e.value = 'null'
          or source_test.type ^@ 'attribute'
             and jsonb_typeof(e.value) <> case source_test.type when 'attribute number' then 'number' else 'string' end) then
    return;
  end if;

  -- The literals of each operator.
  select jsonb_object_agg(o.key, o.literals) into v_operands
  from (
    select o.key,
           coalesce(string_agg(case
             when e.value is null then null -- of an empty array
             -- Not as double precision: how that is written depends on a setting of the session.
             when source_test.type = 'attribute number' then format('braid_store.attribute_number(%L)', e.value #>> '{}')
             when source_test.type ^@ 'attribute' then format('%L', left(e.value #>> '{}', 200))
             else braid_store.filter_literal(source_test.key, source_test.type, e.value) end, ', '), '') as literals
    from jsonb_each(v_operands) o
    left join jsonb_array_elements(o.value) e on true
    group by o.key
  ) o;
  if v_is_range then
    operands := '';
    condition := (
      select string_agg(format('%s %s %s', source_test.field, case when o.key in ('$gt', '$gte') then '>=' else '<=' end,
                               o.value), ' and ')
             || case when source_test.type ^@ 'attribute' then ' and a.element = 0' else '' end
      from jsonb_each_text(v_operands) o);
  else
    operands := format('(select distinct unnest(array[%s]::%s[]) as value) u,',
                       coalesce(v_operands ->> '$eq', v_operands ->> '$in'),
                       case source_test.type when 'attribute number' then 'float8' when 'timestamptz' then 'timestamptz'
                                             else 'text' end);
    -- Not "=", with which the field would be a constant, and so in no order.
    condition := format('%1$s >= u.value and %1$s <= u.value', source_test.field);
  end if;
end
$$;

comment on function braid_store.source_test(text, text, text, jsonb) is
  'A condition on an indexed field that is true wherever the operators of a key are, null if there is none, and what to '
  'read its operands u.value from, with a comma, if they are listed. Bounds are included, as stored values are shortened '
  'and rounded.';
