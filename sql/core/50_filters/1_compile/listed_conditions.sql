create or replace function braid_store.listed_conditions(filters jsonb)
returns jsonb
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  -- With more values than this, reading all chunks is as fast.
  c_most_values constant int := 1000;
  -- If a condition also has a range, each text is searched for in the whole list, so fewer texts are allowed.
  c_most_mixed constant int := 16;
  -- list_block lists no deeper keys.
  c_most_depth constant int := 8;
  v_conditions jsonb;
begin
  v_conditions := (
    -- As in filter_source, only and-ed conditions are taken.
    with recursive filter as (
      select listed_conditions.filters as value
      union all
      select m.value
      from filter f, jsonb_array_elements(case jsonb_typeof(f.value) when 'object' then f.value -> '$and' end) m
    ), condition as (
      select row_number() over () as number, regexp_replace(e.key, E'^metadata\\.', '') as key,
             braid_store.indexable_operators(e.value) as operators
      from filter f, jsonb_each(case jsonb_typeof(f.value) when 'object' then f.value else '{}' end) e
      where not e.key ^@ '$'
        and e.key not in ('speaker', 'category', 'language', 'importance', 'occurred_at', 'external_id', 'source_uri')
    ), operand as (
      select c.number, c.key, o.operator, v.value,
             case jsonb_typeof(v.value) when 'string' then 'text' when 'number' then 'number' when 'boolean'
               then 'boolean'
             end as type
      from condition c,
           jsonb_each(c.operators) o (operator, value),
           jsonb_array_elements(case jsonb_typeof(o.value) when 'array' then o.value
             else jsonb_build_array(o.value) end) v
      -- A number leads into an array, even as " +1". Values deeper than c_most_depth are not listed.
      where (position('.' in c.key) = 0 or c.key !~ E'(^|\\.)\\s*[-+]?\\d+(\\.|$)'
                                         and cardinality(string_to_array(c.key, '.')) <= c_most_depth)
    ), span as (
      -- A single value is a span from the value to itself. A range has one or two bounds, which must have the same
      -- type.
      select o.number, o.key, o.type, o.value as low, o.value as high, o.type is null as is_null
      from operand o
      where o.operator in ('$eq', '$in')
      union all
      select o.number, o.key, min(o.type), (array_agg(o.value) filter (where o.operator in ('$gt', '$gte')))[1],
             (array_agg(o.value) filter (where o.operator in ('$lt', '$lte')))[1], count(distinct o.type) > 1
      from operand o
      where o.operator not in ('$eq', '$in')
      group by o.number, o.key
    )
    select jsonb_agg(jsonb_build_object('key', s.key, 'spans', s.spans))
    from (
      select s.key, jsonb_agg(jsonb_build_object('type', s.type, 'low', s.low, 'high', s.high)) as spans
      from span s
      -- Each condition on a key stays separate, because different elements of a list may meet them.
      group by s.number, s.key
      -- Null would match missing values, which no list has.
      having not bool_or(s.is_null) and count(*) <= case when bool_and(s.low is not distinct from s.high)
        then c_most_values
                                                         else c_most_mixed end
    ) s);
  if v_conditions is null then
    return null;
  end if;
  return jsonb_build_object(
    'conditions', v_conditions,
    'is_all', (select count(*) = 1 and bool_and(not e.key ^@ '$' and (jsonb_typeof(e.value) <> 'object' or (
                        select count(*) = 1 and min(o) <> '$all' or bool_and(o in ('$gt', '$gte', '$lt', '$lte'))
                        from jsonb_object_keys(e.value) o)))
               from jsonb_each(listed_conditions.filters) e));
end
$$;

comment on function braid_store.listed_conditions(jsonb) is
  'Return the conditions of a filter that lists of metadata values can answer, or null if there are none. '
  'conditions: the conditions, which are and-ed. Each has a key and spans of values, each span of one type; a chunk '
  'that passes has a value in one of the spans. low and high belong to the span; one of them may be null. is_all: '
  'whether the filter has no other conditions.';
